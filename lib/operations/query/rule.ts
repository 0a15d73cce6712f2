/** Is called with what would be allowed, and throws the error that says so and shows the value. */
export type Refuse = (allowed: string) => never;

/** Checks the value of one query key, and gives it back in the form that is sent. */
export type Rule<Value> = (value: unknown, refuse: Refuse) => Value;
