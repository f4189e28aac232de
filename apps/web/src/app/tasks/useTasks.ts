import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listTasks, type Task, type TaskKind } from '@voltkeep/contract/tasks'
import { useEffect, useRef } from 'react'
import { notify } from '../../lib/notices.ts'
import { pagePaths } from '../../lib/pages.ts'
import { keyOf, reading } from '../../lib/wire/reading.ts'
import { pageOf } from './tasks.pages.ts'
import { taskTexts } from './tasks.texts.ts'

/** Work of seconds is polled often; batches and upgrades, which take hours, rarely. */
const askAgainMs = 1_000
const askAgainSlowlyMs = 15_000
const slowKinds: readonly TaskKind[] = ['parameterBatch', 'upgrade']

const isRunning = ({ state }: Task) => state === 'running'

/** The user's tasks; any write may have begun one. An end is announced unless the page of the task is open. */
export function useTasks() {
  const client = useQueryClient()
  const query = useQuery({
    ...reading(listTasks, {}),
    refetchInterval: ({ state }) => {
      const running = state.data?.tasks.filter(isRunning) ?? []
      if (running.length === 0) return false
      return running.some(({ kind }) => !slowKinds.includes(kind)) ? askAgainMs : askAgainSlowlyMs
    },
    retry: false,
    meta: { isQuiet: true },
  })
  useEffect(
    () =>
      client.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'success') {
          void client.invalidateQueries({ queryKey: keyOf(listTasks) })
        }
      }),
    [client],
  )

  const tasks = query.data?.tasks
  const running = useRef(new Set<string>())
  useEffect(() => {
    for (const task of tasks ?? []) {
      const key = keyOfTask(task)
      if (isRunning(task)) running.current.add(key)
      else if (running.current.delete(key)) tellEnd(task)
    }
  }, [tasks])
  return query
}

export const keyOfTask = ({ kind, id }: Task) => `${kind} ${id}`

function tellEnd(task: Task): void {
  // The page of a task shows its progress; that of an import does not.
  const isSeen = pagePaths.get().get(pageOf(task).page) === location.pathname
  if (isSeen && task.kind !== 'deviceImport') return
  const what = [taskTexts.kinds[task.kind], task.subject].filter(Boolean).join(' ')
  if (task.state === 'failed') notify.error(taskTexts.ended.failed(what), task.reason ?? undefined)
  else if (task.state === 'cancelled') notify.info(taskTexts.ended.cancelled(what))
  else if (task.state === 'done') notify.success(taskTexts.ended.done(what))
}
