import { changePassword, listRoles, login, readCurrentUser, readServerInfo } from '@voltkeep/contract'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { adminPassword, appOfTests, createTestApp } from '../../../test/app.ts'
import { type Answer, clientOf } from '../../../test/client.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertUser, type TestUser } from '../../../test/factories.ts'

const app = await appOfTests()

let hosts = 0
const nextAddress = () => `10.1.${Math.floor(++hosts / 250)}.${(hosts % 250) + 1}`
/** A client with a new address, so that failures per address are not shared between tests. */
const elsewhere = () => app.from(nextAddress())

const wrongFor = (user: TestUser) => ({ loginname: user.loginName, password: 'Wrong-1234' })
const rightFor = (user: TestUser) => ({ loginname: user.loginName, password: user.password })

/** The cookie of a browser that has signed in as this user. */
async function signInByBrowser(user: TestUser, address = nextAddress()): Promise<string> {
  const answer = await app.from(address).call(login, rightFor(user))
  return cookieOf(answer)
}

const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? ''

const browserAt = (address: string, cookie: string) =>
  clientOf(app.url, { 'x-forwarded-for': address, cookie })

/** Twenty clients, each with a new address, fail with this name. */
async function failFromEverywhere(user: TestUser): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) await elsewhere().call(login, wrongFor(user))
}

const passMinutes = (minutes: number, name: string) =>
  sql`UPDATE login_failure SET failed_at = failed_at - make_interval(mins => ${minutes})
    WHERE login_name = ${name}`.execute(app.db)

describe('after five failures of a name from an address', () => {
  test('the pair is refused with 429 for 15 minutes, even with the right password', async () => {
    const user = await insertUser(app.db)
    const client = elsewhere()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await client.call(login, wrongFor(user))).status).toBe(400)
    }
    const answer = await client.call(login, rightFor(user))
    expect(answer).toMatchObject({ status: 429, code: 429, message: '登录失败次数过多，请 15 分钟后再试' })
    expect(answer.headers.get('retry-after')).toBe('900')

    await passMinutes(15, user.loginName)
    expect((await client.call(login, rightFor(user))).code).toBe(200)
  })

  test('the name can sign in from another address, and the address with another name', async () => {
    const client = elsewhere()
    const wrong = { loginname: 'admin', password: 'Wrong-1234' }
    for (let attempt = 0; attempt < 6; attempt += 1) await client.call(login, wrong)
    expect((await client.call(login, wrong)).status).toBe(429)
    expect((await elsewhere().call(login, { loginname: 'admin', password: adminPassword })).code).toBe(200)
    expect((await client.call(login, rightFor(await insertUser(app.db)))).code).toBe(200)
  })

  test('an unknown name is refused like a known one', async () => {
    const client = elsewhere()
    const phantom = { loginname: 'phantom', password: 'Wrong-1234' }
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await client.call(login, phantom)).status).toBe(400)
    }
    expect((await client.call(login, phantom)).status).toBe(429)
  })

  test('the case and width of letters make no difference', async () => {
    const client = elsewhere()
    for (const loginname of ['Ghost', 'GHOST', 'gHost', 'ｇｈｏｓｔ', 'ghost ']) {
      expect((await client.call(login, { loginname, password: 'Wrong-1234' })).status).toBe(400)
    }
    expect((await client.call(login, { loginname: 'ghosT', password: 'Wrong-1234' })).status).toBe(429)
  })

  test('concurrent guesses are limited like consecutive ones', async () => {
    const user = await insertUser(app.db)
    const client = elsewhere()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        client.call(login, { loginname: user.loginName, password: `Wrong-${1000 + index}` }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(400), ...Array(35).fill(429)])
  })

  test('a successful sign-in resets only the count of its pair', async () => {
    const user = await insertUser(app.db)
    const [client, other] = [elsewhere(), elsewhere()]
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await client.call(login, wrongFor(user))
      await other.call(login, wrongFor(user))
    }
    expect((await client.call(login, rightFor(user))).code).toBe(200)
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect((await client.call(login, wrongFor(user))).status).toBe(400)
    }
    expect((await client.call(login, rightFor(user))).code).toBe(200)

    await other.call(login, wrongFor(user))
    expect((await other.call(login, rightFor(user))).status).toBe(429)
  })

  test('another process refuses the pair too', async () => {
    const user = await insertUser(app.db)
    const address = nextAddress()
    // The row of a process that shares only the database with this one.
    await sql`INSERT INTO login_failure (login_name, address)
      SELECT ${user.loginName}, ${address} FROM generate_series(1, 5)`.execute(app.db)
    expect((await app.from(address).call(login, rightFor(user))).status).toBe(429)
  })
})

describe('an address', () => {
  test('is refused after fifty failures of any names, which a successful sign-in does not reset', async () => {
    const own = await insertUser(app.db)
    const client = elsewhere()
    for (let attempt = 0; attempt < 50; attempt += 1) {
      if (attempt === 30) expect((await client.call(login, rightFor(own))).code).toBe(200)
      const loginname = `stranger${Math.floor(attempt / 5)}`
      expect((await client.call(login, { loginname, password: 'Wrong-1234' })).status).toBe(400)
    }
    expect((await client.call(login, rightFor(own))).status).toBe(429)
    expect((await elsewhere().call(login, rightFor(own))).code).toBe(200)
  })

  test('of IPv6 is counted by subscriber network', async () => {
    const six = { loginname: 'six', password: 'Wrong-1234' }
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await app.from(`2001:db8:1:2::${attempt + 1}`).call(login, six)).status).toBe(400)
    }
    expect((await app.from('2001:db8:1:2:ffff::1').call(login, six)).status).toBe(429)
    expect((await app.from('2001:db8:1:3::1').call(login, six)).status).toBe(400)
  })
})

describe('a name with failures from many addresses', () => {
  test('is rate-limited for unknown browsers, and never locked', async () => {
    const user = await insertUser(app.db)
    await failFromEverywhere(user)
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => elsewhere().call(login, wrongFor(user))),
    )
    // Up to four may wait in the queue.
    const slowed = answers.filter(({ refusal }) => refusal === 'signInSlowed')
    expect(slowed.length).toBeGreaterThanOrEqual(8)
    expect(slowed[0]).toMatchObject({
      status: 429,
      message: '该登录名登录失败较多，登录受到限速，请稍后再试',
    })
    expect(slowed[0]?.headers.get('retry-after')).toBe('15')

    expect((await elsewhere().call(login, rightFor(user))).code).toBe(200)
    const { rows } = await sql<{ apart: number }>`
      SELECT extract(epoch FROM failed_at - lag(failed_at) OVER (ORDER BY failed_at))::float8 AS apart
      FROM login_failure WHERE login_name = ${user.loginName} ORDER BY failed_at OFFSET 20`.execute(app.db)
    for (const { apart } of rows) expect(apart).toBeGreaterThanOrEqual(2.9)
  })

  test('can sign in at once in a browser that has signed in before, from any address', async () => {
    const user = await insertUser(app.db)
    const cookie = await signInByBrowser(user)
    await failFromEverywhere(user)
    // Takes the next slot, an hour from now, so that anyone who has to wait is refused.
    await sql`UPDATE login_failure SET failed_at = failed_at + interval '1 hour'
      WHERE login_name = ${user.loginName}`.execute(app.db)
    expect((await elsewhere().call(login, rightFor(user))).refusal).toBe('signInSlowed')
    expect((await browserAt(nextAddress(), cookie).call(login, rightFor(user))).code).toBe(200)
  })
})

describe('a known browser', () => {
  test('may sign in where its pair and its address are refused', async () => {
    const user = await insertUser(app.db)
    const address = nextAddress()
    const cookie = await signInByBrowser(user, address)
    await sql`INSERT INTO login_failure (login_name, address)
      SELECT ${user.loginName}, ${address} FROM generate_series(1, 60)`.execute(app.db)
    expect((await app.from(address).call(login, rightFor(user))).status).toBe(429)
    expect((await browserAt(address, cookie).call(login, rightFor(user))).code).toBe(200)
  })

  test('has five guesses too, and is known for one user only', async () => {
    const [user, other] = [await insertUser(app.db), await insertUser(app.db)]
    const cookie = await signInByBrowser(user)
    const address = nextAddress()
    const browser = browserAt(address, cookie)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await browser.call(login, wrongFor(user))).status).toBe(400)
    }
    expect((await browserAt(nextAddress(), cookie).call(login, rightFor(user))).status).toBe(429)

    await sql`INSERT INTO login_failure (login_name, address)
      SELECT ${other.loginName}, ${address} FROM generate_series(1, 5)`.execute(app.db)
    expect((await browser.call(login, rightFor(other))).status).toBe(429)
  })

  test('is recognized by a cookie that scripts cannot read and other sites do not send', async () => {
    const user = await insertUser(app.db)
    const client = clientOf(app.url, { 'x-forwarded-for': nextAddress(), 'x-forwarded-proto': 'https' })
    const [header] = (await client.call(login, rightFor(user))).headers
      .getSetCookie()
      .filter((cookie) => cookie.startsWith('voltkeep_browser='))
    expect(header).toMatch(
      /^voltkeep_browser=[\w.-]+; Max-Age=15552000; Path=\/api\/user; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect((await elsewhere().call(login, wrongFor(user))).headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['changed', (cookie: string) => `${cookie.slice(0, -2)}xx`],
    ['of another user', (cookie: string) => cookie.replace(/=\d+/, '=1')],
    ['cut short', (cookie: string) => cookie.slice(0, 40)],
  ])('is a stranger with a cookie that was %s', async (_, change) => {
    const user = await insertUser(app.db)
    const address = nextAddress()
    const cookie = await signInByBrowser(user, address)
    await sql`INSERT INTO login_failure (login_name, address)
      SELECT ${user.loginName}, ${address} FROM generate_series(1, 5)`.execute(app.db)
    expect((await browserAt(address, change(cookie)).call(login, rightFor(user))).status).toBe(429)
    expect((await browserAt(address, cookie).call(login, rightFor(user))).code).toBe(200)
  })

  test('is forgotten when the password changes, except the one that changed it', async () => {
    const user = await insertUser(app.db)
    const forgotten = await signInByBrowser(user)
    const token = await elsewhere().signIn(user.loginName, user.password)
    const newPassword = 'Newer-5678'
    const changed = await app.call(changePassword, { oldPassword: user.password, newPassword }, token)
    const kept = cookieOf(changed)

    const address = nextAddress()
    await sql`INSERT INTO login_failure (login_name, address)
      SELECT ${user.loginName}, ${address} FROM generate_series(1, 5)`.execute(app.db)
    const right = { loginname: user.loginName, password: newPassword }
    expect((await browserAt(address, forgotten).call(login, right)).status).toBe(429)
    expect((await browserAt(address, kept).call(login, right)).code).toBe(200)
  })
})

describe('two hundred sign-ins of one name at once', () => {
  test('do not block other calls', async () => {
    const user = await insertUser(app.db)
    const token = await app.asAdmin()
    // Locks out all attempts with this name: each waiting one occupies a connection.
    const holder = new pg.Client({ connectionString: app.database.url })
    await holder.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `sign-in name ${user.loginName}`,
      ])
      const answers = Array.from({ length: 200 }, () => elsewhere().call(login, wrongFor(user)))
      const waitingForLock = async () => {
        const { rows } = await holder.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event = 'advisory'`,
        )
        return rows[0]?.count
      }
      await eventually(async () => expect(await waitingForLock()).toBeGreaterThan(0))
      for (let call = 0; call < 20; call += 1) {
        expect((await app.call(readCurrentUser, {}, token)).code).toBe(200)
        expect((await app.call(listRoles, {}, token)).code).toBe(200)
      }
      // Signing in uses at most a quarter of the ten connections.
      expect(await waitingForLock()).toBe(2)
      await holder.query('ROLLBACK')
      const busy = (await Promise.all(answers)).filter(({ refusal }) => refusal === 'signInBusy')
      expect(busy.length).toBeGreaterThan(100)
    } finally {
      await holder.end()
    }
  })

  test('five get 400, and all others of the pair 429', async () => {
    const user = await insertUser(app.db)
    const client = elsewhere()
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.call(login, wrongFor(user))))
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(195)
  })
})

describe('refused sign-ins', () => {
  test('are recorded in the operation log once per pair', async () => {
    const user = await insertUser(app.db)
    const client = elsewhere()
    for (let attempt = 0; attempt < 9; attempt += 1) await client.call(login, wrongFor(user))
    const { rows } = await sql<{ code: number; count: number }>`
      SELECT result_code AS code, count(*)::int AS count FROM operation_log
      WHERE login_name = ${user.loginName} GROUP BY 1 ORDER BY 1`.execute(app.db)
    expect(rows).toEqual([
      { code: 400, count: 5 },
      { code: 429, count: 1 },
    ])
  })

  test('are logged, and clients cannot inject lines into the log', async () => {
    const client = elsewhere()
    const loginname = 'mallory\r\n21:00:00 INFO 一切正常'
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await client.call(login, { loginname, password: 'Wrong-1234' })
    }
    await eventually(() => expect(app.logged.join('')).toContain('登录被拒绝：同一登录名和地址登录失败过多'))
    expect(app.logged.join('')).not.toMatch(/^21:00:00/m)
  })
})

describe('a server that trusts no proxy', () => {
  test('counts all clients by the proxy’s address, and says so on its page and in the log', async () => {
    const bare = await createTestApp({ TRUSTED_PROXIES: '' })
    try {
      const admin = await bare.asAdmin()
      expect((await bare.call(readServerInfo, {}, admin)).data.warnings.join()).not.toContain(
        'TRUSTED_PROXIES',
      )
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const wrong = { loginname: 'admin', password: 'Wrong-1234' }
        await bare.from(`10.7.0.${attempt + 1}`).call(login, wrong)
      }
      const right = { loginname: 'admin', password: adminPassword }
      expect((await bare.from('10.7.0.9').call(login, right)).status).toBe(429)

      const { warnings } = (await bare.call(readServerInfo, {}, admin)).data
      expect(warnings.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(1)
      expect(bare.logged.filter((line) => line.includes('X-Forwarded-For'))).toHaveLength(1)
    } finally {
      await bare.close()
    }
  })
})
