// The attack on sign-in: thousands of guesses, next to users who sign in.
import { request as send } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Envelope, login } from '@voltkeep/contract'
import type { AttackPart, Ground } from './part.ts'

const perSecond = 50
/** The guesses at a name that are allowed before the rate limit for unknown browsers applies, and its interval. */
const freeGuesses = 20
const turnEveryS = 3
const parallel = 200
const rounds = 5
/** The limit as a ratio to the neighbour's p95 without the attack; below `quietMs` a ratio means nothing. */
const mostRatio = 1.5
const quietMs = 100

/** Guesses at the administrator's password from many addresses, and many concurrent sign-ins with one name. */
export const signin: AttackPart = {
  name: 'signin',
  about: `${perSecond} guesses a second at admin's password, each from an address of its own; then ${parallel} sign-ins of one name at once`,
  // Behind a trusted proxy, so that the attacker can choose addresses; the neighbour is also the administrator.
  server: { environment: { TRUSTED_PROXIES: '127.0.0.1', SESSIONS_PER_USER: '1000' } },
  async attack(ground) {
    const right = { loginname: 'admin', password: ground.server.adminPassword }
    const { cookie: known } = await signInFrom(ground, '10.200.0.1', right)
    await ground.measure('warming up', { forMs: 3_000 })
    const before = await ground.measure('before', { forMs: 5_000 })

    const seconds = Number(ground.options.seconds)
    const guesses = new Map<string, number>()
    let knownSignedIn = 0
    let knownRefused = 0
    let tookS = 0
    const during = await ground.measure('many addresses', async () => {
      const beganAt = performance.now()
      const sent: Promise<void>[] = []
      const guess = async (host: number) => {
        const address = `10.${100 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`
        const loginname = host % 2 ? 'admin' : 'ADMIN'
        const { status, refusal } = await signInFrom(ground, address, {
          loginname,
          password: `Wrong-${host}`,
        })
        const outcome = `${status} ${refusal}`
        guesses.set(outcome, (guesses.get(outcome) ?? 0) + 1)
      }
      const signInKnown = async (host: number) => {
        const { status } = await signInFrom(ground, `10.201.0.${host % 250}`, right, known)
        if (status === 200) knownSignedIn += 1
        else knownRefused += 1
      }
      for (let host = 1; host <= seconds * perSecond; host += 1) {
        sent.push(guess(host))
        if (host % perSecond === 0) sent.push(signInKnown(host / perSecond))
        await delay(1_000 / perSecond)
      }
      await Promise.all(sent)
      tookS = (performance.now() - beganAt) / 1_000
    })
    console.log(`  guesses: ${[...guesses].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')}`)
    console.log(`  known browser: signed in ${knownSignedIn} times, refused ${knownRefused} times`)
    const checked = guesses.get('400 wrongCredentials') ?? 0
    ground.atMost('guesses that were checked', checked, freeGuesses + Math.ceil(tookS / turnEveryS) + 1)
    ground.atMost('right passwords from a known browser refused', knownRefused, 0)
    ground.isTrue('the known browser signed in', knownSignedIn > 0, `${knownSignedIn} times`)

    const stranger = await signInFrom(ground, '10.202.0.1', right)
    ground.isTrue(
      'the right password of a stranger afterwards',
      stranger.status === 200,
      `${stranger.status}`,
    )

    const statuses = new Map<number, number>()
    const crowded = await ground.measure('one name', async () => {
      const wrong = { loginname: 'nobody', password: 'Wrong-1234' }
      for (let round = 0; round < rounds; round += 1) {
        const address = `10.203.0.${round + 1}`
        await Promise.all(
          Array.from({ length: parallel }, async () => {
            const { status } = await signInFrom(ground, address, wrong)
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
          }),
        )
        await delay(2_000)
      }
    })
    console.log(`  answers: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`)
    // Five per pair, until the rate limit of the name applies.
    ground.atMost('of these passwords, checked', statuses.get(400) ?? 0, freeGuesses + rounds)

    for (const [when, figures] of [
      ['many addresses', during],
      ['one name', crowded],
    ] as const) {
      ground.atMost(
        `neighbour's p95 against without, ${when}`,
        Math.max(figures.p95Ms, quietMs) / Math.max(before.p95Ms, quietMs),
        mostRatio,
      )
      ground.atMost(`neighbour's calls that failed, ${when}`, figures.failed, 0)
    }
    await ground.returnsTo(before)
  },
}

type SignIn = { status: number; refusal: string | undefined; cookie: string }

/** A new connection per sign-in, like many machines. */
function signInFrom(
  { server }: Ground,
  address: string,
  input: { loginname: string; password: string },
  cookie = '',
): Promise<SignIn> {
  const body = JSON.stringify(input)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-forwarded-for': address,
    cookie,
  }
  return new Promise((resolve, reject) => {
    const request = send(
      `${server.url}/api${login.path}`,
      { method: 'POST', agent: false, headers },
      async (response) => {
        let text = ''
        for await (const piece of response.setEncoding('utf8')) text += piece
        const { refusal } = JSON.parse(text) as Envelope<unknown>
        const [kept = ''] = response.headers['set-cookie'] ?? []
        resolve({ status: response.statusCode ?? 0, refusal, cookie: kept.split(';')[0] ?? '' })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
