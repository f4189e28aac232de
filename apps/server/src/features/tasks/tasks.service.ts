import { tasksKeptHours } from '@voltkeep/contract'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import type { TaskSource } from '../../platform/calls/task-source.ts'

export type Tasks = ReturnType<typeof createTasks>

/** Nobody reads a longer list. */
const shownAtMost = 50

export function createTasks(sources: readonly TaskSource[]) {
  return {
    /** The newest first, of the kinds that the caller may see. */
    async listTasks(actor: Actor) {
      const endedSince = new Date(Date.now() - tasksKeptHours * 3_600_000)
      const lists = await Promise.all(
        sources
          .filter(({ access }) => mayCall(actor, access))
          .map(async ({ kind, list }) => (await list(actor, endedSince)).map((task) => ({ kind, ...task }))),
      )
      const tasks = lists.flat().sort((a, b) => b.createTime.getTime() - a.createTime.getTime())
      return { tasks: tasks.slice(0, shownAtMost) }
    },
  }
}
