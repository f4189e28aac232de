// What docs/security.md says of 国密, compared with the runtime that the tests run on.
import { spawnSync } from 'node:child_process'
import { createVerify, generateKeyPairSync, getCiphers, getHashes, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCiphers as getTlsCiphers } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'

const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
const statement =
  page
    .match(/- \*\*TLS is international cryptography\*\*[\s\S]*?(?=\n- |\n## )/)?.[0]
    .replaceAll(/\s+/g, ' ') ?? ''

test('TLS has no suite of it', () => {
  expect(statement).toContain('the runtime has no cipher suite with SM2/SM3/SM4')
  expect(getTlsCiphers().filter((name) => /sm[234]/i.test(name))).toEqual([])
})

test('SM3 and the modes of SM4 are those that the page names', () => {
  const [, release, modes, missing] =
    statement.match(/Node (\d+) has SM3 and SM4 \(([A-Z, ]+), no (\w+)\)/) ?? []
  expect(process.versions.node.split('.')[0]).toBe(release)
  expect(getHashes()).toContain('sm3')
  const has = getCiphers().flatMap((name) => /^sm4-(\w+)$/.exec(name)?.[1]?.toUpperCase() ?? [])
  expect(has.toSorted()).toEqual(modes?.split(', ').toSorted())
  expect(has).not.toContain(missing)
})

const openssl = (args: readonly string[]) => spawnSync('openssl', args, { encoding: 'utf8' })
const identity = '1234567812345678'
const hasSm2 = openssl(['ecparam', '-name', 'SM2', '-noout']).status === 0

test.skipIf(!hasSm2)(
  'its SM2 signatures are not conformant: neither side takes what the other has signed',
  () => {
    expect(statement).toContain('its SM2 signatures are not conformant')
    expect(statement).toContain(`OpenSSL with the standard's \`${identity}\` refuses what Node signed`)
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-sm2-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const path = (name: string) => join(directory, name)
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'SM2' })
    const message = Buffer.from('voltkeep')
    writeFileSync(path('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(path('public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    writeFileSync(path('message'), message)
    const asked = ['-rawin', '-digest', 'sm3', '-in', path('message'), '-pkeyopt', `distid:${identity}`]
    const check = (signature: string) =>
      openssl([
        'pkeyutl',
        '-verify',
        '-pubin',
        '-inkey',
        path('public.pem'),
        ...asked,
        '-sigfile',
        path(signature),
      ])

    // OpenSSL takes its own, so that its refusal of the other means something.
    expect(
      openssl(['pkeyutl', '-sign', '-inkey', path('key.pem'), ...asked, '-out', path('theirs')]),
    ).toMatchObject({ status: 0 })
    expect(check('theirs')).toMatchObject({ status: 0 })
    writeFileSync(path('ours'), sign('sm3', message, privateKey))
    expect(check('ours').status).not.toBe(0)
    expect(
      createVerify('sm3')
        .update(message)
        .verify(publicKey, readFileSync(path('theirs'))),
    ).toBe(false)
  },
)
