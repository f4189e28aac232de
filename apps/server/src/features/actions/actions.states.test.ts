import { confirmationSeconds, type RemoteAction, remoteActionStates } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { type ActionEvent, type ActionState, actionAfter, isOver, reasons } from './actions.states.ts'

const nowMs = 1_767_225_600_000
const sent = (action: RemoteAction = 'openDoor'): ActionState => ({
  state: 'sent',
  action,
  reason: null,
  answeredAtMs: null,
  shownAtMs: null,
  dueAtMs: null,
})
const answered: ActionEvent = { kind: 'answered', nowMs }
const shown: ActionEvent = { kind: 'shown', atMs: nowMs + 500 }
const events: ActionEvent[] = [
  answered,
  { kind: 'failed', reason: '执行机构无响应', nowMs },
  { kind: 'refused', reason: '正在换电', nowMs },
  { kind: 'expired' },
  shown,
  { kind: 'due', nowMs: nowMs + 3_600_000 },
  { kind: 'undecided', reason: '操作人 liwei 已停用' },
]
const after = (...list: ActionEvent[]) => list.reduce(actionAfter, sent())

test('is confirmed by an answer and a report, in either order, and by neither alone', () => {
  expect(after(answered)).toMatchObject({ state: 'acknowledged', answeredAtMs: nowMs })
  expect(after(shown)).toMatchObject({ state: 'sent', shownAtMs: nowMs + 500 })
  for (const done of [after(answered, shown), after(shown, answered)])
    expect(done).toMatchObject({
      state: 'confirmed',
      shownAtMs: nowMs + 500,
      answeredAtMs: nowMs,
      dueAtMs: null,
    })
})

test('is unconfirmed where no report shows it within the time of its action', () => {
  for (const [action, seconds] of Object.entries(confirmationSeconds) as [RemoteAction, number][]) {
    const waiting = actionAfter(sent(action), answered)
    const dueAtMs = nowMs + seconds * 1_000
    expect(waiting.dueAtMs).toBe(dueAtMs)
    expect(actionAfter(waiting, { kind: 'due', nowMs: dueAtMs - 1 })).toBe(waiting)
    expect(actionAfter(waiting, { kind: 'due', nowMs: dueAtMs })).toMatchObject({
      state: 'unconfirmed',
      dueAtMs: null,
    })
  }
})

test('that was never answered says so, also where a report shows it', () => {
  expect(after({ kind: 'expired' })).toMatchObject({ state: 'expired', reason: null })
  expect(after(shown, { kind: 'expired' })).toMatchObject({
    state: 'expired',
    reason: reasons.unansweredButShown,
  })
})

test('fails, is refused and is stopped with the reason, before an answer alone', () => {
  expect(after(...events.slice(1, 2))).toMatchObject({ state: 'failed', reason: '执行机构无响应' })
  expect(after(...events.slice(2, 3))).toMatchObject({ state: 'refused', reason: '正在换电' })
  expect(after(...events.slice(6))).toMatchObject({ state: 'stopped', reason: '操作人 liwei 已停用' })
  const acknowledged = after(answered)
  for (const event of events.filter(({ kind }) => kind !== 'shown' && kind !== 'due'))
    expect(actionAfter(acknowledged, event)).toBe(acknowledged)
})

describe.each(remoteActionStates.filter((state) => isOver({ state })))('an action that is %s', (state) => {
  test('stays so', () => {
    const over = { ...sent(), state }
    for (const event of events) expect(actionAfter(over, event)).toBe(over)
  })
})

test('waits for a moment where it is acknowledged, and for events alone in every other state', () => {
  const reached = [sent(), after(answered), ...events.map((event) => after(event)), after(answered, shown)]
  for (const { state, dueAtMs } of reached) expect(dueAtMs !== null).toBe(state === 'acknowledged')
})
