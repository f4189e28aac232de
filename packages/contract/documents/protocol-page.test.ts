// What stands between the generated tables of the device protocol's page.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downTopics } from '../src/topics/index.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/device-protocol.md'), 'utf8')
const section = (heading: string) => page.slice(page.indexOf(`\n${heading}\n`)).split(/\n#{1,3} /)[1] ?? ''

/** Of the table of commands: what it asks for, what an operator does, what answers it. */
const commands = new Map(
  [...section('## Commands').matchAll(/^\| \[`(\w+)`\]\(#(\w+)\) \|(.*)\|(.*)\|(.*)\|$/gm)].map(
    ([, name = '', anchor, asks = '', cause = '', answer = '']) => [
      name,
      { anchor, asks: asks.trim(), cause: cause.trim(), answer: answer.trim() },
    ],
  ),
)

test('the table of commands has every command, with a section of its own', () => {
  const names = Object.values(downTopics).map(({ name }) => name)
  expect([...commands.keys()].toSorted()).toEqual(names.toSorted())
  for (const [name, { anchor, asks, answer }] of commands) {
    expect(anchor).toBe(name.toLowerCase())
    expect(page).toContain(`\n### ${name}\n`)
    expect(asks).not.toBe('')
    expect(answer).toContain('reply')
  }
})

/** Every text that the console shows or a menu is called by. */
const shown = globSync(
  [
    'apps/web/src/**/*.texts.ts',
    'apps/web/src/lib/texts/*.ts',
    'apps/server/src/**/*seeds.ts',
    'packages/contract/src/*.ts',
  ],
  {
    cwd: root,
  },
)
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

test.each(Object.values(downTopics).map(({ name }) => name))(
  'an operator causes %s by what the page says, in the words of the console',
  (name) => {
    const { cause } = commands.get(name) ?? { cause: '' }
    expect(cause).not.toBe('')
    const words = cause.match(/[\p{Script=Han}]+/gu) ?? []
    expect(words.filter((word) => !shown.includes(`'${word}'`))).toEqual([])
    // withdraw is caused where advertise is.
    if (name !== 'withdraw') expect(words.length).toBeGreaterThan(0)
  },
)

test('a part without a hardware version never gets firmware for one, and the page says so', () => {
  expect(section('## Versions')).toMatch(
    /Firmware whose file name has `_HW<version>` is for parts with this `hwVersion` alone\. \*\*A part that reports no `hwVersion`\s+never gets such firmware\*\*/,
  )
})
