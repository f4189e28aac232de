import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canMount } from '../../../../test/server-process.ts'
import { openDiskBlobs } from './disk-blobs.ts'

const id = '00000000-0000-4000-8000-000000000000'

test('blobs are readable by their owner only, and by the group if configured', async () => {
  for (const [isGroupReadable, fileMode, folderMode] of [
    [false, 0o600, 0o700],
    [true, 0o640, 0o750],
  ] as const) {
    const directory = join(mkdtempSync(join(tmpdir(), 'voltkeep-files-')), 'files')
    const blobs = openDiskBlobs({ directory, isGroupReadable })
    await blobs.put(
      id,
      (async function* () {
        yield Buffer.from('x')
      })(),
    )
    expect(statSync(directory).mode & 0o777).toBe(folderMode)
    expect(statSync(join(directory, '00')).mode & 0o777).toBe(folderMode)
    expect(statSync(join(directory, '00', id)).mode & 0o777).toBe(fileMode)
    rmSync(join(directory, '..'), { recursive: true })
  }
})

// A disk of two megabytes, in its own mount namespace.
test.skipIf(!canMount)(
  'a full disk refuses with filesFull, leaves nothing behind, and accepts what still fits',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-full-'))
    const script = `
    import { readdirSync } from 'node:fs'
    const { openDiskBlobs } = await import(${JSON.stringify(join(import.meta.dirname, 'disk-blobs.ts'))})
    const blobs = openDiskBlobs({ directory: ${JSON.stringify(directory)} })
    async function* of(megabytes) {
      for (let at = 0; at < megabytes; at += 1) yield Buffer.alloc(1024 * 1024, 1)
    }
    const refusal = await blobs.put(${JSON.stringify(id)}, of(3)).then(() => null, (error) => error.refusal)
    const unfinished = readdirSync(${JSON.stringify(join(directory, 'incoming'))})
    const isThere = (await blobs.open(${JSON.stringify(id)})) !== null
    await blobs.put(${JSON.stringify(id)}, of(1))
    console.log(JSON.stringify({ refusal, unfinished, isThere }))`
    const mounted = `mount -t tmpfs -o size=2m tmpfs '${directory}' && exec '${process.execPath}' --input-type=module -`
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', mounted],
      {
        input: script,
        encoding: 'utf8',
      },
    )
    rmSync(directory, { recursive: true })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ refusal: 'filesFull', unfinished: [], isThere: false })
  },
)
