import { setTimeout as delay } from 'node:timers/promises'
import { login } from '@voltkeep/contract'
import { type Answer, clientOf } from '../../apps/server/test/client.ts'
import type { AttackPart, Ground } from './part.ts'

const atOnce = 40
/** Guesses at a name that go through before strangers take turns, and how often one has its turn. */
const freeGuesses = 20
const turnEveryS = 3
const parallel = 200
/** Of what the neighbour's p95 is without the attack; below `quietMs` a ratio says nothing. */
const mostRatio = 1.5
const quietMs = 20

/** Guesses at the administrator's password from many addresses, and many sign-ins of one name at once. */
export const signin: AttackPart = {
  name: 'signin',
  about: `guesses at admin's password, ${atOnce} at once, each from an address of its own; then ${parallel} sign-ins of one name at once`,
  // So that the attacker can have addresses: as behind a proxy.
  server: { environment: { TRUSTED_PROXIES: '127.0.0.1' } },
  async attack(ground) {
    const right = { loginname: 'admin', password: ground.server.adminPassword }
    const known = cookieOf(await signInFrom(ground, '10.200.0.1', right))
    await ground.measure('warming up', { forMs: 3_000 })
    const before = await ground.measure('before', { forMs: 5_000 })

    const seconds = Number(ground.options.seconds)
    const guesses = new Map<string, number>()
    let knownSignedIn = 0
    let knownRefused = 0
    let isOver = false
    let host = 0
    const during = await ground.measure('many addresses', async () => {
      const guess = async () => {
        while (!isOver) {
          host += 1
          const address = `10.${100 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`
          const { status, refusal } = await signInFrom(ground, address, {
            loginname: host % 2 ? 'admin' : 'ADMIN',
            password: `Wrong-${host}`,
          })
          const outcome = `${status} ${refusal}`
          guesses.set(outcome, (guesses.get(outcome) ?? 0) + 1)
        }
      }
      const owner = async () => {
        while (!isOver) {
          const { status } = await signInFrom(ground, `10.201.0.${1 + (knownSignedIn % 250)}`, right, known)
          if (status === 200) knownSignedIn += 1
          else knownRefused += 1
          await delay(1_000)
        }
      }
      const working = [owner(), ...Array.from({ length: atOnce }, guess)]
      await delay(seconds * 1_000)
      isOver = true
      await Promise.all(working)
    })
    console.log(`  guesses: ${[...guesses].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')}`)
    console.log(`  known browser: signed in ${knownSignedIn} times, refused ${knownRefused} times`)
    const checked = guesses.get('400 wrongCredentials') ?? 0
    // Waiting guesses may have their turn after the end, up to 15 s.
    ground.atMost(
      'guesses that were checked',
      checked,
      freeGuesses + Math.ceil((seconds + 15) / turnEveryS) + 1,
    )
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
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          const { status } = await signInFrom(ground, '10.203.0.1', wrong)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }),
      )
      await delay(1_000)
    })
    console.log(`  answers: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`)
    ground.isTrue('five of the pair are checked', statuses.get(400) === 5, `${statuses.get(400)}`)

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

const signInFrom = (
  { server }: Ground,
  address: string,
  input: { loginname: string; password: string },
  cookie = '',
): Promise<Answer> => clientOf(server.url, { 'x-forwarded-for': address, cookie }).call(login, input)

const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? ''
