// A message that proves a channel, at once and past its queue, but within its rate.
import type { ChannelKind, Language } from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse } from '../../../platform/calls/refusal.ts'
import { said, speaking } from '../../../platform/process/language/speech.ts'
import type { ChannelSettings, Senders } from '../senders/index.ts'
import type { NoticeMessage } from '../senders/message.ts'
import type { Target } from '../senders/sender.ts'

/** Tests of one channel; more would use up what alarms need. */
const leastPauseMs = 5_000
/** Whoever tests waits for it. */
const limitMs = 20_000
/** Under way at once, of a user and of an organization. */
const atOnce = { user: 2, organization: 4 }

type Tester = Pick<Actor, 'userId' | 'organizationId' | 'loginName'>

export type TestSend = ReturnType<typeof createTestSend>

export function createTestSend({
  senders,
  consoleUrl,
  nowMs,
}: {
  senders: Senders
  consoleUrl: () => string
  nowMs: () => number
}) {
  const testedAtMs = new Map<number, number>()
  const underWay = new Set<Tester>()
  return async (
    id: number,
    channel: { kind: ChannelKind; settings: ChannelSettings | null; language: Language },
    target: Target | null,
    tester: Tester,
  ): Promise<{ isDelivered: boolean; code: string; message: string }> => {
    const now = nowMs()
    if (now - (testedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < leastPauseMs) refuse('notifyTestedTooOften')
    const colleagues = [...underWay].filter(({ organizationId }) => organizationId === tester.organizationId)
    const own = colleagues.filter(({ userId }) => userId === tester.userId)
    if (own.length >= atOnce.user || colleagues.length >= atOnce.organization) refuse('notifyTestedTooOften')
    testedAtMs.set(id, now)
    // One for each test, whoever it is.
    const one = { ...tester }
    underWay.add(one)
    try {
      const { kind, code, message } = await speaking(channel.language, () =>
        senders.send(
          channel,
          target,
          testMessage(consoleUrl(), tester.loginName, now),
          AbortSignal.timeout(limitMs),
        ),
      )
      return { isDelivered: kind === 'delivered', code, message }
    } finally {
      underWay.delete(one)
    }
  }
}

const testMessage = (link: string, userName: string, nowMs: number): NoticeMessage => ({
  id: `test-${nowMs}`,
  entries: [
    {
      event: 'raised',
      kind: 'alarm',
      repeats: 1,
      level: 4,
      what: said('测试消息，不是告警'),
      deviceCode: said(`由 ${userName} 发送`),
      deviceName: null,
      place: '—',
      at: new Date(nowMs),
      link,
    },
  ],
  raisedByLevel: new Map([[4, 1]]),
  recovered: 0,
  escalated: 0,
  offline: 0,
  online: 0,
  tasks: 0,
  link,
})
