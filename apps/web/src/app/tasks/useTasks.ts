import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listTasks, type Task } from '@voltkeep/contract/tasks'
import { useEffect, useRef } from 'react'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { notify } from '../../lib/notices.ts'
import { pagePaths } from '../../lib/pages.ts'
import { keyOf, reading } from '../../lib/wire/reading.ts'
import { pageOf } from './tasks.pages.ts'
import { taskTexts } from './tasks.texts.ts'

/** Work of seconds is polled often; batches and upgrades, which take hours, rarely. */
const askAgainMs = 1_000
const askAgainSlowlyMs = 15_000
/** Their nouns in the live stream. */
const nouns = { parameterBatch: 'parameterBatch', upgrade: 'upgradeTask' }
const isSlow = (task: Task): task is Task & { kind: keyof typeof nouns } => task.kind in nouns

/** While batches and upgrades change, the tasks are read at most this often. */
const livePauseMs = 3_000

const isRunning = ({ state }: Task) => state === 'running'
/** Nobody is told of an end that somebody has caused by agreeing, or not. */
const isOpen = ({ kind, state }: Task) => state === 'running' || (state === 'paused' && kind !== 'approval')

/**
 * The user's tasks; any write may have begun one. An end, a pause and what goes on after it are announced unless the page
 * of the task is open.
 */
export function useTasks() {
  const client = useQueryClient()
  const query = useQuery({
    ...reading(listTasks, {}),
    refetchInterval: ({ state }) => {
      const running = state.data?.tasks.filter(isRunning) ?? []
      if (running.length === 0) return false
      return running.some((task) => !isSlow(task)) ? askAgainMs : askAgainSlowlyMs
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
  // What waits for days is not asked for every few seconds.
  useLiveReading(
    query.refetch,
    (event) =>
      tasks?.some((task) => isOpen(task) && isSlow(task) && concerns(event, nouns[task.kind], task.id)) ===
      true,
    livePauseMs,
  )
  const open = useRef(new Map<string, Task['state']>())
  useEffect(() => {
    for (const task of tasks ?? []) {
      const key = keyOfTask(task)
      const before = open.current.get(key)
      if (isOpen(task)) open.current.set(key, task.state)
      else open.current.delete(key)
      if (before !== undefined && before !== task.state) tellChange(task)
    }
  }, [tasks])
  return query
}

export const keyOfTask = ({ kind, id }: Task) => `${kind} ${id}`

function tellChange(task: Task): void {
  // The page of a task shows its progress; that of an import does not.
  const isSeen = pagePaths.get().get(pageOf(task).page) === location.pathname
  if (isSeen && task.kind !== 'deviceImport') return
  const what = [taskTexts.kinds[task.kind], task.subject].filter(Boolean).join(' ')
  const { kind, state, failed, reason } = task
  if (state === 'paused') {
    const paused = taskTexts.waits[kind] ?? taskTexts.states.paused
    if (failed > 0) notify.error(taskTexts.ended.paused(what, paused, null), reason ?? undefined)
    else notify.info(taskTexts.ended.paused(what, paused, reason))
  } else if (state === 'running') notify.info(taskTexts.ended.goesOn(what, reason))
  else if (state === 'failed') notify.error(taskTexts.ended.failed(what), reason ?? undefined)
  else if (state === 'cancelled') notify.info(taskTexts.ended.cancelled(what))
  else if (state === 'done') notify.success(taskTexts.ended.done(what))
}
