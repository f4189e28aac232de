// Every request takes a turn: calls, pages and files, those of users apart from those of strangers.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { Refusal } from '../../calls/refusal.ts'
import { createTurns, type Turn, type TurnLimits, type Turns } from '../../calls/turns.ts'
import { networkOf } from '../../process/networks.ts'
import { isStillSending } from '../body.ts'
import { createKnownTokens } from './known-tokens.ts'
import { tokenOf } from './token.ts'

/** A browser has six connections to a server: no page makes so many calls wait. */
const durations = { lastsMs: 1_000, ownLastsMs: 2_000, burst: 16 }
/** Of the connections to the database a third, where each call has one: a turn that has ended is no bound on statements. */
const lasting = 6
const ofUsers: TurnLimits = { inAll: 8, perCaller: 3, waiting: 256, lasting, ...durations }
/** Of everybody without a token that is known: pages, files, sign-ins, tokens that are invented. By address. */
const ofStrangers: TurnLimits = { inAll: 4, perCaller: 2, waiting: 512, ...durations }
/** Whoever repeats a refused call at once must gain nothing by it. */
const refusedAfterMs = 1_000

export interface CallTurns {
  users: Turns
  strangers: Turns
  /** A long answer that is being sent has its turn for so long at most. */
  sendingLastsMs: number
}

/** A client that takes its answer slowly costs nothing, and must not hold up others at its address. */
const usualSendingMs = 100

/** `more`: other limits than the usual ones. */
export const createCallTurns = (
  more: Partial<TurnLimits> = {},
  sendingLastsMs = usualSendingMs,
): CallTurns => ({
  users: createTurns({ ...ofUsers, ...more }),
  strangers: createTurns({ ...ofStrangers, ...more }),
  sendingLastsMs,
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

/**
 * An answer of this length is copied to the kernel piece by piece, which takes the event loop longer than its call: the
 * API document (2 MB without compression) to 300 connections at once held every other call for seconds.
 */
const longAnswerBytes = 65_536
/**
 * When the answer has been made, its turn ends; that of a long one when it has been sent. Added after the hooks that work
 * on the answer.
 */
export function endTurns(app: FastifyInstance, { sendingLastsMs }: CallTurns): void {
  app.addHook('onSend', (request, { raw }, payload, done) => {
    const turn = turnOf(request)
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
    if (!turn || !isWhole || payload.length < longAnswerBytes) turn?.leave()
    else {
      const timer = setTimeout(turn.leave, sendingLastsMs)
      raw.once('close', () => {
        clearTimeout(timer)
        turn.leave()
      })
    }
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
