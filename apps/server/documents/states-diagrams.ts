// The states of upgrades as Mermaid diagrams, drawn from the tables in the code.
import { upgradeStageStates, upgradeTargetStates, upgradeTaskStates } from '@voltkeep/contract'
import { stageAfter, stageEvents } from '../src/features/upgrades/stages/stages.states.ts'
import {
  reasons,
  type Target,
  type TargetEvent,
  type TargetRule,
  targetAfter,
} from '../src/features/upgrades/targets/targets.states.ts'
import { taskAfter, taskEvents } from '../src/features/upgrades/tasks/tasks.states.ts'

interface Edge {
  from: string
  to: string
  event: string
}

const taskEdges = (): Edge[] =>
  upgradeTaskStates.flatMap((from) =>
    taskEvents.flatMap((event) => {
      const to = taskAfter(from, event)
      return to === null || to === from ? [] : [{ from, to, event }]
    }),
  )

const stageEdges = (): Edge[] =>
  upgradeStageStates.flatMap((from) =>
    stageEvents.flatMap((event) => {
      const to = stageAfter(from, event)
      return to === null ? [] : [{ from, to, event }]
    }),
  )

const rule: TargetRule = { attempts: 2, intervalMs: 1, stallMs: 1, verifyMs: 1 }
const nowMs = 0

/** One of each kind. A new kind is missed by the compiler. */
const targetEvents: { [Kind in TargetEvent['kind']]: Extract<TargetEvent, { kind: Kind }>[] } = {
  due: [{ kind: 'due', nowMs }],
  deferred: [{ kind: 'deferred' }],
  released: [{ kind: 'released', dueAtMs: nowMs }],
  outOfReach: [{ kind: 'outOfReach', reason: '' }],
  recalled: [{ kind: 'recalled' }],
  taken: [{ kind: 'taken', nowMs }],
  refused: [{ kind: 'refused', reason: '' }],
  unanswered: [{ kind: 'unanswered', nowMs }],
  neverThere: [{ kind: 'neverThere' }],
  progressed: (['downloading', 'installing'] as const).map((to) => ({
    kind: 'progressed',
    to,
    percent: 1,
    nowMs,
  })),
  claimed: [{ kind: 'claimed', nowMs }],
  failed: [{ kind: 'failed', reason: '', nowMs }],
  verified: [{ kind: 'verified' }],
  predecessorFailed: [{ kind: 'predecessorFailed' }],
  ended: [{ kind: 'ended' }],
  cancelled: [{ kind: 'cancelled' }],
  retried: [{ kind: 'retried', dueAtMs: nowMs }],
}

/** Targets that differ in all that the table asks about: attempts left or not, claimed or not. */
const samples = (state: Target['state']): Target[] =>
  [0, 1].flatMap((attempts) =>
    [null, 1].map((claimedAtMs) => ({
      state,
      percent: null,
      attempts,
      dueAtMs: null,
      reason: reasons.predecessor,
      claimedAtMs,
      changedAtMs: nowMs,
      heardAtMs: null,
    })),
  )

const targetEdges = (): Edge[] =>
  upgradeTargetStates.flatMap((from) =>
    samples(from).flatMap((target) =>
      Object.values(targetEvents)
        .flat()
        .flatMap((event) => {
          const { state: to } = targetAfter(target, event, rule)
          return to === from ? [] : [{ from, to, event: event.kind }]
        }),
    ),
  )

/** Events that lead from one state to the same other one share an arrow. */
function diagram(first: string, edges: readonly Edge[]): string {
  const arrows = new Map<string, Set<string>>()
  for (const { from, to, event } of edges) {
    const arrow = `  ${from} --> ${to}`
    arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(event))
  }
  const left = new Set(edges.map(({ from }) => from))
  const finals = [...new Set(edges.map(({ to }) => to))].filter((state) => !left.has(state))
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${first}`,
    ...[...arrows].map(([arrow, events]) => `${arrow} : ${[...events].join(', ')}`),
    ...finals.map((state) => `  ${state} --> [*]`),
    '```',
  ].join('\n')
}

/** The section of the page. */
export const stateDiagrams = () => `### Task

${diagram('planned', taskEdges())}

### Stage

${diagram('pending', stageEdges())}

### Target

One part of one device.

${diagram('waiting', targetEdges())}`
