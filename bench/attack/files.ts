import { importDevices } from '@voltkeep/contract'
import { hostileSheets } from '../../apps/server/test/hostile-sheets.ts'
import type { AttackPart } from './part.ts'

const atOnce = 3
/** The limit as a ratio to the neighbour's p95 without the attack; below `quietMs` a ratio means nothing. */
const mostRatio = 1.5
const quietMs = 20
const megabyte = 1_048_576

/** Spreadsheets that unpack to a thousand times their size, nest, or lie, three at once. */
export const files: AttackPart = {
  name: 'files',
  about: `${hostileSheets.length} kinds of hostile spreadsheets to the import of devices, ${atOnce} at once`,
  // The heap of a small machine: one of these files once took four times as much.
  server: { nodeFlags: ['--max-old-space-size=512'] },
  async attack(ground) {
    const { server, adminToken } = ground
    const { pid } = server
    // Created before the measurement: packing sixty megabytes is the attacker's work.
    const sheets: { name: string; bytes: Buffer; message: RegExp }[] = []
    for (const { name, make, message } of hostileSheets) sheets.push({ name, bytes: await make(), message })
    await ground.measure('warming up', { forMs: 3_000 })
    const before = await ground.measure('before', { forMs: 5_000 })
    const wrong: string[] = []
    const during = await ground.measure('during', async () => {
      for (const { name, bytes, message } of sheets) {
        const answers = await Promise.all(
          Array.from({ length: atOnce }, () => upload(server.url, bytes, adminToken)),
        )
        // A user may run one import at a time: the others are refused.
        const isRefused = answers.every(
          ({ status, text }) => status === 429 || (status === 400 && message.test(text)),
        )
        if (!isRefused || answers.every(({ status }) => status === 429)) wrong.push(name)
      }
    })
    ground.isTrue('each is refused in fitting words', wrong.length === 0, wrong.join('; '))
    ground.isTrue('the process is still the same', server.pid === pid && during.failed === 0)
    ground.atMost(
      "neighbour's p95 against without",
      Math.max(during.p95Ms, quietMs) / Math.max(before.p95Ms, quietMs),
      mostRatio,
    )
    ground.atMost('memory at its most, over before', megabytes(during) - megabytes(before), 400, ' MB')
    await ground.returnsTo(before)
  },
}

const megabytes = ({ mostResidentBytes }: { mostResidentBytes: number }) =>
  Math.round(mostResidentBytes / megabyte)

async function upload(url: string, bytes: Buffer, token: string): Promise<{ status: number; text: string }> {
  const form = new FormData()
  form.append('dryRun', '1')
  form.append('file', new Blob([bytes as Buffer<ArrayBuffer>]), '设备.xlsx')
  const response = await fetch(`${url}/api${importDevices.path}`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  })
  return { status: response.status, text: await response.text() }
}
