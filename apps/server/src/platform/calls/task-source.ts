import type { Access, InputOf, Task, TaskKind } from '@voltkeep/contract'
import type { Actor } from './actor.ts'

/** A piece of long work as its feature tells it; the kind is the source's. */
export type TaskRecord = Omit<InputOf<typeof Task>, 'kind' | 'createTime' | 'finishTime'> & {
  createTime: Date
  finishTime: Date | null
}

/** A kind of long work: its feature makes a source, the list of tasks reads all of them and knows none by name. */
export interface TaskSource {
  kind: TaskKind
  /** The function that a user needs to be told of it. */
  access: Access
  /** Those that the actor began and that are under way or ended since then, as far as his data scope reaches. */
  list(actor: Actor, endedSince: Date): Promise<TaskRecord[]>
}
