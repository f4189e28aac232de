// Every request takes a turn: calls, pages and files, those of users apart from those of strangers.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { Refusal } from '../../calls/refusal.ts'
import { createTurns, type Turn, type TurnLimits, type Turns } from '../../calls/turns.ts'
import { networkOf } from '../../process/networks.ts'
import { isStillSending } from '../body.ts'
import { createKnownTokens } from './known-tokens.ts'
import { tokenOf } from './token.ts'

const durations = { lastsMs: 1_000, ownLastsMs: 2_000 }
const ofUsers: TurnLimits = { inAll: 8, perCaller: 3, waiting: 256, ...durations }
/** Of everybody without a token that is known: pages, files, sign-ins, tokens that are invented. By address. */
const ofStrangers: TurnLimits = { inAll: 4, perCaller: 2, waiting: 512, ...durations }
/** Whoever repeats a refused call at once must gain nothing by it. */
const refusedAfterMs = 1_000

export interface CallTurns {
  users: Turns
  strangers: Turns
}

/** `more`: other limits than the usual ones. */
export const createCallTurns = (more: Partial<TurnLimits> = {}): CallTurns => ({
  users: createTurns({ ...ofUsers, ...more }),
  strangers: createTurns({ ...ofStrangers, ...more }),
})

/** The turn of a request, which mount knows more about than is known at its beginning. */
export interface CallTurn {
  /** The token belongs to this user, as whose call it goes on. */
  isOf(userId: number): Promise<void>
  /** The token belongs to nobody. */
  isOfNobody(): void
  /** Lets others go on, while this call waits for something that is no work of ours. */
  leave(): void
  /** Takes a turn where the call has none. Refuses the call of a client that has left. */
  take(): Promise<void>
}

/** Nobody gets this answer. */
const gone = () => new Refusal('serverBusy')

const turns = new WeakMap<FastifyRequest, CallTurn>()

/** Undefined where the server shares no turns. */
export const turnOf = (request: FastifyRequest): CallTurn | undefined => turns.get(request)

/**
 * From its beginning until its answer is made, a request has a turn of its caller: of the user whose token it brings, of
 * its network address otherwise. While a body comes in, and while the answer is sent, it has none. Refuses
 * `tooManyCalls` where a caller has too many waiting.
 */
export function shareTurns(app: FastifyInstance, { users, strangers }: CallTurns): void {
  const tokens = createKnownTokens()

  app.addHook('onRequest', async (request, reply) => {
    const token = tokenOf(request)
    const { raw } = reply
    let userId = token === null ? undefined : tokens.userOf(token)
    let held: Turn | undefined
    const isGone = () => raw.destroyed || request.raw.socket.destroyed

    const take = () =>
      new Promise<void>((resolve, reject) => {
        const leave = () => {
          taken?.turn.end()
          held = undefined
          reject(gone())
        }
        const begin = () => {
          raw.off('close', leave)
          resolve()
        }
        if (isGone()) return reject(gone())
        const taken =
          userId === undefined
            ? strangers.take(networkOf(request.ip), begin)
            : users.take(String(userId), begin)
        raw.once('close', leave)
        if (!taken) {
          const timer = setTimeout(() => reject(new Refusal('tooManyCalls')), refusedAfterMs)
          raw.once('close', () => clearTimeout(timer))
          return
        }
        held = taken.turn
        if (!taken.waits) begin()
      })

    const turn: CallTurn = {
      async isOf(id) {
        if (token !== null) tokens.learn(token, id)
        if (userId === id) return
        turn.leave()
        userId = id
        await take()
      },
      isOfNobody() {
        if (token !== null) tokens.forget(token)
      },
      leave() {
        held?.end()
        held = undefined
      },
      async take() {
        if (!held) await take()
        else if (isGone()) throw gone()
      },
    }
    turns.set(request, turn)
    await take()
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (isStillSending(request)) turnOf(request)?.leave()
    done()
  })
  app.addHook('preHandler', async (request) => {
    // A form with a file is read by its call.
    if (!isStillSending(request)) await turnOf(request)?.take()
  })
}

/** When the answer has been made, its turn ends. Added after the hooks that work on the answer. */
export function endTurns(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    turnOf(request)?.leave()
    done()
  })
}

export function observeTurns({ users, strangers }: CallTurns, metrics: Registry): void {
  const of = { users, strangers }
  const gauge = (name: string, help: string, figureOf: (turns: Turns) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['callers'],
      registers: [metrics],
      collect() {
        for (const [callers, turns] of Object.entries(of)) this.set({ callers }, figureOf(turns))
      },
    })
  gauge(
    'voltkeep_http_calls_under_way',
    'Calls that have a turn, of users and of strangers',
    (turns) => turns.underWay,
  )
  gauge(
    'voltkeep_http_calls_waiting',
    'Calls that wait for a turn, of users and of strangers',
    (turns) => turns.waiting,
  )
}
