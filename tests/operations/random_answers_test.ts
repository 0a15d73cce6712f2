import { testRandomAnswers } from "./random_answers.ts";

testRandomAnswers(40);
