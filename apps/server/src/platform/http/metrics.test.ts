import { expect, test } from 'vitest'
import { createLog } from '../process/log.ts'
import { createMetrics, observeCalls, serveMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'

test('calls are counted by their path template, on a separate port', async () => {
  const metrics = createMetrics()
  const app = createHttpServer({ log: createLog({ level: 'silent' }) })
  observeCalls(app, metrics)
  app.get('/api/things/:id', async () => ({}))
  await app.inject('/api/things/1')
  await app.inject('/api/things/2')
  await app.inject('/api/none')

  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 })
  try {
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
    expect(text).toContain(
      'voltkeep_http_request_duration_seconds_count{method="GET",route="/api/things/:id",status="200"} 2',
    )
    expect(text).not.toContain('/api/none')
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404)
  } finally {
    await server.close()
  }
  expect((await app.inject('/metrics')).statusCode).toBe(404)
})
