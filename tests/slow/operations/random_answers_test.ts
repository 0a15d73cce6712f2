import { testRandomAnswers } from "../../operations/random_answers.ts";

testRandomAnswers(500);
