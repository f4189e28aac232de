// What a user's uploads may take before a row refers to them: nothing else gives that room back for an hour.
import { refusals } from '@voltkeep/contract'
import { Refusal } from '../../calls/refusal.ts'
import type { Db } from '../../database/database.ts'
import {
  deleteReservation,
  insertReservation,
  lockUploadsOf,
  readUnusedBytes,
  touchReservation,
  type Uploader,
} from './files.queries.ts'

export interface Quotas {
  userBytes: number
  organizationBytes: number
}

const organizationShare = 3
/** On a small disk, of what files may still take there. */
const [userPart, organizationPart] = [1 / 4, 1 / 2]
/** How often an upload that goes on says so. One that does not any more belonged to a process that has ended. */
const touchEveryMs = 30_000
export const forgottenAfterMs = 4 * touchEveryMs

/** Never less than one file of the largest size that the call takes. */
export function quotasOf({
  perUserBytes,
  leftBytes,
  fileLimitBytes,
}: {
  perUserBytes: number
  leftBytes: number
  fileLimitBytes: number
}): Quotas {
  const within = (bytes: number, part: number) => Math.max(fileLimitBytes, Math.min(bytes, leftBytes * part))
  return {
    userBytes: within(perUserBytes, userPart),
    organizationBytes: within(perUserBytes * organizationShare, organizationPart),
  }
}

/**
 * Reserves room for an upload that is about to come, in one transaction with the count of what is there, so that no
 * number of uploads beside each other, at whatever processes, comes to more. Throws `unusedFilesOfUser` and
 * `unusedFilesOfOrganization`.
 */
export async function reserveUpload(
  db: Db,
  upload: { id: string; uploader: Uploader; bytes: number },
  quotas: Quotas,
): Promise<Reservation> {
  const { id, uploader, bytes } = upload
  await db.transaction().execute(async (trx) => {
    await lockUploadsOf(trx, uploader.organizationId)
    const unused = await readUnusedBytes(trx, uploader, forgottenAfterMs)
    if (unused.userBytes + bytes > quotas.userBytes) throw full('unusedFilesOfUser', quotas.userBytes)
    if (unused.organizationBytes + bytes > quotas.organizationBytes)
      throw full('unusedFilesOfOrganization', quotas.organizationBytes)
    await insertReservation(trx, upload)
  })
  let touchedAtMs = performance.now()
  return {
    async *over(source) {
      for await (const piece of source) {
        if (performance.now() - touchedAtMs > touchEveryMs) {
          touchedAtMs = performance.now()
          // Where the database is away for a moment, the upload goes on.
          await touchReservation(db, id).catch(() => undefined)
        }
        yield piece
      }
    },
    end: (at = db) => deleteReservation(at, id),
  }
}

export interface Reservation {
  /** Passes the upload on, and says meanwhile that it goes on. */
  over(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  end(at?: Db): Promise<void>
}

/** The refusal's own sentence with the number. */
function full(refusal: 'unusedFilesOfUser' | 'unusedFilesOfOrganization', quotaBytes: number): Refusal {
  const most = `超过 ${Math.floor(quotaBytes / 1024 ** 2)} MB`
  const [, text] = refusals[refusal]
  return new Refusal(refusal, [{ field: 'file', message: text.replace('过多', most) }])
}
