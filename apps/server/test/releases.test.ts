import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { appendFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('every part of the product has the version of the whole, and asks for the others by it', () => {
  const parts = globSync(['{apps,packages}/*/package.json', 'e2e/package.json', 'bench/package.json'], {
    cwd: root,
  })
  expect(parts.length).toBeGreaterThanOrEqual(6)
  const versions = parts.flatMap((path) => {
    const { version: own, dependencies, devDependencies } = JSON.parse(read(path))
    const others = Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => name.startsWith('@voltkeep/'))
      .map(([name, asked]) => [`${path} ${name}`, asked])
    return [[path, own], ...others]
  })
  expect(versions.filter(([, own]) => own !== version)).toEqual([])
})

test('the changelog begins with this version, in both languages, each with what an operator must do first', () => {
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m)
  const [heading = ''] = newest.split('\n')
  expect(heading.replace(/\(\d{4}-\d{2}-\d{2}\)$/, '(date)')).toBe(`${version} (date)`)
  const [, english = '', chinese = ''] = newest.split(/^### (?:English|中文)$/m)
  expect(/\*\*(.+)\*\*/.exec(english)?.[1]).toBe('What you must do')
  expect(/\*\*(.+)\*\*/.exec(chinese)?.[1]).toBe('必须做的事')
  // Both say the same things.
  const itemsOf = (text: string) => text.match(/^- /gm)?.length
  expect(itemsOf(chinese)).toBe(itemsOf(english))
})

describe('what docs/releases.md says to verify a release with', () => {
  const has = (command: string, argument: string) => spawnSync(command, [argument]).status === 0
  const [, verifying = ''] = read('docs/releases.md').split('## Verifying one\n')
  const lines = [...verifying.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-signed-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const run = (command: string) => spawnSync('sh', ['-ec', command], { cwd: directory, stdio: 'pipe' }).status
  const release = () => {
    writeFileSync(join(directory, 'archive'), 'a release')
    expect(run('sha256sum archive > SHA256SUMS')).toBe(0)
  }

  test.skipIf(!has('openssl', 'version'))('openssl: good as it is, and not with another sum', () => {
    release()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(directory, 'voltkeep.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
    // As scripts/release.mjs signs.
    const signature = sign(null, readFileSync(join(directory, 'SHA256SUMS')), privateKey)
    writeFileSync(join(directory, 'SHA256SUMS.sig'), signature)
    const command = lines.find((text) => text.startsWith('openssl ')) as string
    expect(run(command)).toBe(0)
    appendFileSync(join(directory, 'SHA256SUMS'), '\n')
    expect(run(command)).not.toBe(0)
  })

  test.skipIf(!has('minisign', '-v'))('minisign: the same', () => {
    release()
    const [, making, signing] = /`(minisign -G .*?)` makes it, `(minisign -S .*?)`/s.exec(verifying) ?? []
    expect(run(`${making} -W </dev/null`)).toBe(0)
    expect(run(signing as string)).toBe(0)
    const command = lines.find((text) => text.startsWith('minisign ')) as string
    expect(run(command)).toBe(0)
    writeFileSync(join(directory, 'archive'), 'another')
    expect(run(command)).not.toBe(0)
    release()
    appendFileSync(join(directory, 'SHA256SUMS'), '\n')
    expect(run(command)).not.toBe(0)
  })
})
