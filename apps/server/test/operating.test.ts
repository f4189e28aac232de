import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { settings } from '../src/platform/process/config.ts'

const page = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')

it('docs/operating.md lists exactly the settings that exist, with their defaults', () => {
  const text = page('docs/operating.md')
  const table = text.slice(text.indexOf('## Settings'), text.indexOf('## The machine'))
  const rows = [...table.matchAll(/^\| `(\w+)` \| (?:`([^`]*)`)? ?\|/gm)]
  expect(rows.map(([, name, defaultText]) => [name, defaultText])).toEqual(
    Object.values(settings).map(({ name, defaultText }) => [name, defaultText]),
  )
})

it.each(['README.md', 'docs/device-protocol.md', 'docs/operating.md'])(
  '%s asks `date` for nothing that GNU’s alone has',
  (path) => {
    const text = page(path)
    const asked = [...text.matchAll(/\bdate ([^)"`\n]*)/g)].map(([, what]) => what ?? '')
    expect(asked.filter((what) => /%\d*N|^(-d|--)/.test(what))).toEqual([])
  },
)

/** Each is true of other people's software, and no other test would notice that the page says it no more. */
it.each([
  [
    'what is asked of a standby',
    /`synchronous_commit = on` also survives a power cut of both machines, `remote_write` the loss of one/,
  ],
  ['how Patroni keeps a standby', /Patroni needs `synchronous_mode_strict` besides\s+`synchronous_mode`/],
  ['which mode of PgBouncer is enough', /PgBouncer only with `pool_mode = session`/],
  ['that PUBACK relies on the commit', /Never turn off `fsync` or `synchronous_commit`/],
  ['which brokers share a subscription', /`\?share=voltkeep|MQTT_URL=mqtt:\/\/…\?share=voltkeep` on each/],
  ['and which cannot', /RabbitMQ\s+and NATS cannot serve it/],
])('docs/operating.md says %s', (_, statement) => {
  expect(page('docs/operating.md')).toMatch(statement)
})
