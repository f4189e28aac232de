// OpenTelemetry, as a collector reads it; and what there is of it without the setting.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { insertDevice as addDevice, listDevices, login } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { describe, expect, test } from 'vitest'
import { summaryOf } from '../src/platform/process/telemetry/spans.ts'
import { adminPassword, createTestApp } from './app.ts'
import { endWithFile } from './database.ts'
import { eventually } from './eventually.ts'
import { insertDevice, insertOperator, insertUser } from './factories.ts'
import { connectDevice } from './mqtt-client.ts'
import { openOtlpReceiver } from './otlp-receiver.ts'

describe('with a collector', async () => {
  const collector = await openOtlpReceiver()
  endWithFile(() => collector.close())
  const app = await createTestApp({
    OTLP_URL: collector.url,
    OTLP_AUTHORIZATION: 'Bearer of-the-collector',
    OTLP_METRICS_SECONDS: '1',
    NODE_NAME: 'node-a',
  })
  const admin = await app.asAdmin()
  const user = await insertUser(app.db, { loginName: 'wang.personal' })
  const device = await insertDevice(app.db, { operatorId: await insertOperator(app.db) })
  const wrong = 'Wrong-secret-1234'
  await app.from('10.77.66.55').call(login, { loginname: user.loginName, password: wrong })
  const userToken = await app.signIn(user.loginName, user.password)
  expect((await app.call(listDevices, { code: device.code }, admin)).code).toBe(200)
  expect((await app.call(addDevice, { code: 'x' }, admin)).code).toBe(400)
  await app.request('/api/equip/none', { method: 'GET', headers: {} })
  const client = await connectDevice(app.ports.mqttPort as number, device)
  const event = { id: 'otlp-1', time: Date.now(), code: '03119876' }
  expect(await client.publish(topicOf(device.code, 'up', 'event'), event)).toBe(true)
  await client.disconnect()
  await eventually(() => expect(collector.metrics.has('voltkeep_http_request_duration_seconds')).toBe(true))
  await eventually(() => {
    const names = new Set(collector.spans.map(({ name }) => name))
    expect(names).toContain('job history.fold')
    expect(names).toContain('intake batch')
    expect(names).toContain(`POST /api${addDevice.path}`)
  })
  await app.close()

  const named = (name: string) => collector.spans.filter((span) => span.name === name)
  const partsOf = ({ traceId }: { traceId: string }) =>
    collector.spans.filter((span) => span.traceId === traceId && span.parentSpanId !== undefined)

  test('calls are spans by the template of their path, with the statements that belong to them', () => {
    expect(collector.problems).toEqual([])
    const [listed] = named(`POST /api${listDevices.path}`)
    expect(listed).toMatchObject({
      kind: 2,
      parentSpanId: undefined,
      attributes: {
        'http.request.method': 'POST',
        'http.route': `/api${listDevices.path}`,
        'http.response.status_code': 200,
        'voltkeep.request_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
    if (!listed) throw new Error('no span')
    const statements = partsOf(listed)
    expect(statements.map(({ name }) => name).join()).toMatch(/(?:SELECT|WITH) device/)
    for (const { kind, parentSpanId, attributes, durationNs } of statements) {
      expect([kind, parentSpanId, attributes['db.system.name']]).toEqual([3, listed.spanId, 'postgresql'])
      expect(durationNs).toBeGreaterThan(0n)
      expect(durationNs).toBeLessThanOrEqual(listed.durationNs)
    }
    // Behind its body, a sign-in reads and writes as part of its call.
    const signedIn = named(`POST /api${login.path}`).find(
      ({ attributes }) => attributes['http.response.status_code'] === 200,
    )
    expect(signedIn && partsOf(signedIn).map(({ name }) => name)).toContain('INSERT operation_log')
  })

  test('what is refused has its status, and what does not exist no path', () => {
    const refused = named(`POST /api${addDevice.path}`)
    expect(
      refused.map(({ attributes, status }) => [attributes['http.response.status_code'], status]),
    ).toEqual([[400, 0]])
    expect(collector.spans.some(({ name }) => name.includes('none'))).toBe(false)
  })

  test('batches of device messages and jobs are traces of their own, with their statements', () => {
    const batch = named('intake batch').find(({ attributes }) =>
      (attributes['voltkeep.kinds'] as string[]).includes('event'),
    )
    expect(batch).toMatchObject({
      kind: 5,
      attributes: { 'messaging.batch.message_count': expect.any(Number) },
    })
    expect(batch && partsOf(batch).map(({ attributes }) => attributes['db.collection.name'])).toContain(
      'message_receipt',
    )
    const [job] = named('job history.fold')
    expect(job && partsOf(job).length).toBeGreaterThan(0)
  })

  test('nothing of people, devices, values and secrets leaves by it', () => {
    const texts = collector.texts.join('\n')
    expect(texts.length).toBeGreaterThan(10_000)
    const kept = [
      ...[user.loginName, user.password, userToken, wrong, admin, adminPassword],
      ...[device.code, device.secret, '03119876', 'otlp-1', '10.77.66.55', '127.0.0.1', 'of-the-collector'],
    ]
    for (const word of kept) expect([word, texts.includes(word)]).toEqual([word, false])
    const known =
      /^(?:http\.(?:request\.method|route|response\.status_code)|db\.(?:system\.name|operation\.name|collection\.name)|messaging\.batch\.message_count|error\.type|voltkeep\.(?:request_id|kinds|job))$/
    const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)))
    expect([...names].filter((name) => !known.test(name))).toEqual([])
  })

  test('figures are those of /metrics', () => {
    const durations = collector.metrics.get('voltkeep_http_request_duration_seconds')
    expect(durations?.kind).toBe('histogram')
    const listed = durations?.points.find(({ attributes }) => attributes.route === `/api${listDevices.path}`)
    expect(listed).toMatchObject({ count: 1, bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] })
    expect(listed?.counts?.length).toBe(11)
    expect(listed?.counts?.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(collector.metrics.get('process_cpu_seconds_total')?.kind).toBe('sum')
    const [heap] = collector.metrics.get('nodejs_heap_size_used_bytes')?.points ?? []
    expect(heap?.value).toBeGreaterThan(1_000_000)
    expect(collector.resources.at(-1)).toEqual({
      'service.name': 'voltkeep',
      'service.version': expect.any(String),
      'service.instance.id': 'node-a',
    })
    expect([...collector.authorizations]).toEqual(['Bearer of-the-collector'])
  })
})

test('a collector that is away keeps nothing from working, nor from stopping', async () => {
  const away = await openOtlpReceiver()
  await away.close()
  const app = await createTestApp({ OTLP_URL: away.url, OTLP_METRICS_SECONDS: '1' })
  const admin = await app.asAdmin()
  expect((await app.call(listDevices, {}, admin)).code).toBe(200)
  await app.close()
})

test('0 percent sends figures alone', async () => {
  const collector = await openOtlpReceiver()
  const app = await createTestApp({
    OTLP_URL: collector.url,
    OTLP_METRICS_SECONDS: '1',
    OTLP_TRACE_PERCENT: '0',
  })
  await app.asAdmin()
  await eventually(() => expect(collector.metrics.size).toBeGreaterThan(10))
  await app.close()
  await collector.close()
  expect(collector.spans).toEqual([])
})

// The bare interface comes with prom-client.
test('without the setting none of its modules is loaded', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        loaded.push(found.url)
        return found
      },
    })
    await import('./src/app.ts')
    const own = loaded.filter((url) => /opentelemetry\\/(?!api\\/)|process\\/telemetry\\/(?!tracing)/.test(url))
    process.stdout.write(JSON.stringify({ count: loaded.length, own }), () => process.exit(0))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  })
  const { count, own } = JSON.parse(output) as { count: number; own: string[] }
  expect(count).toBeGreaterThan(500)
  expect(own).toEqual([])
})

test.each([
  ['SELECT "d"."id" FROM "device" AS d', 'SELECT', 'device'],
  ['\n  WITH gone AS (DELETE FROM a WHERE x = 1 RETURNING *) SELECT 1', 'WITH', 'a'],
  ['WITH page AS MATERIALIZED (SELECT x FROM a), more AS (SELECT 1) SELECT * FROM page', 'WITH', 'a'],
  ['SELECT (SELECT max(x) FROM a) FROM b', 'SELECT', 'b'],
  ['SELECT f.x FROM (SELECT * FROM a LIMIT 1) f', 'SELECT', 'a'],
  ['INSERT INTO operation_log (at) VALUES ($1)', 'INSERT', 'operation_log'],
  ['update "app_user" set x = $1', 'UPDATE', 'app_user'],
  ['SELECT * FROM unnest($1::int[]) n JOIN region r ON true', 'SELECT', 'region'],
  ['BEGIN', 'BEGIN', undefined],
])('a statement %j is a %s of %s', (text, verb, table) => {
  expect(summaryOf(text)).toEqual({ verb, table })
})
