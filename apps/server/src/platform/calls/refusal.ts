import { type FieldProblem, type RefusalName, refusals } from '@voltkeep/contract'

/**
 * A call that is refused by a rule: the client gets the name, the code and the Chinese text. Every other error is a
 * 500.
 */
export class Refusal extends Error {
  readonly refusal: RefusalName
  readonly code: number
  readonly problems: FieldProblem[] | null

  /** `message` is for a text that names numbers, e.g. how many users a role has; else the list's own is told. */
  constructor(refusal: RefusalName, problems: FieldProblem[] | null = null, message?: string) {
    const [code, text] = refusals[refusal]
    super(message ?? problems?.[0]?.message ?? text)
    this.refusal = refusal
    this.code = code
    this.problems = problems
  }

  /** The session's numbers travel as 401. */
  get httpStatus(): number {
    return this.code >= 50000 ? 401 : this.code
  }
}

export function refuse(name: RefusalName): never {
  throw new Refusal(name)
}

/** A 400 that names the fields, as a failed schema does. */
export function refuseInput(...problems: [FieldProblem, ...FieldProblem[]]): never {
  throw new Refusal('badInput', problems)
}
