// What each noun has to say for the tests that run over all nouns: one value for it, in proofs/<feature>.ts. The step
// `proofs` (scripts/proofs.mjs) says what a noun lacks.
import type { FormCase, States } from '../../../e2e/reach.ts'
import type { TestApp } from './app.ts'
import type { Reference } from './references.ts'
import type { PageScope } from './scope-models.ts'

export interface NounProofs {
  /** For each of its endpoints, what of somebody's the input can name; or why there is nothing. */
  references?: Readonly<Record<string, string | readonly Reference[]>>
  /** For each of its paged lists, what the model of the access rules says of it. */
  scope?: Readonly<Record<string, PageScope>>
  /** For each write that neither adds nor deletes, how to prove its version; or why it takes none. */
  versions?: Readonly<Record<string, string | MakeUpdate>>
  /**
   * Its screens by address, each with its states. All states are visited in one page: each is closed before the next.
   */
  screens?: readonly (readonly [path: string, states: States])[]
  /** Its forms. */
  forms?: Readonly<Record<string, FormCase>>
  /** For each endpoint that the specification does not have, why there is one. */
  additions?: Readonly<Record<string, string>>
}

/** An update of a new row. */
export interface Update {
  table: string
  /** The key of the row: its id or its code. */
  key: Record<string, string>
  /** The name of the version field, where it is not `version`. */
  versionField?: 'lockVersion'
  /** The other fields of a valid call that changes the row; each call returns another change. */
  change: () => Record<string, unknown>
}

/** Inserts the row. The token is an administrator's. */
type MakeUpdate = (app: TestApp, token: string) => Promise<Update>
