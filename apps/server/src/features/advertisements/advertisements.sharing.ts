/**
 * Pictures of advertisements that are shown to whoever has their address, until it expires. The address names the
 * advertisement and carries a signature, so no row is kept of it; it ends early with the advertisement.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeptFile, ParsedInputFor, readSharedPicture, shareAdvertisement } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Files } from '../../platform/files/index.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse } from '../../platform/refusal.ts'
import { readSecret } from '../../platform/secrets.ts'
import * as queries from './advertisements.queries.ts'

export type SharedPictures = ReturnType<typeof createSharedPictures>
type Address = ParsedInputFor<typeof readSharedPicture>

const dayMs = 86_400_000

export function createSharedPictures({ db, files }: { db: Db; files: Pick<Files, 'find'> }) {
  let secret: Promise<Buffer> | undefined
  /** A failed read is tried again at the next call: the database may have been away. */
  const key = () => {
    secret ??= readSecret(db, 'sharing').catch((error: unknown) => {
      secret = undefined
      throw error
    })
    return secret
  }
  const signatureOf = async (id: string, expires: string) =>
    createHmac('sha256', await key())
      .update(['picture', id, expires].join('\n'))
      .digest()

  /** Throws `pictureAddressInvalid`, `pictureAddressExpired` and `pictureNotFound`. */
  async function find({ id, expires, signature }: Address) {
    const expected = await signatureOf(id, expires)
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) refuse('pictureAddressInvalid')
    const expiresTime = new Date(Number(expires) * 1000)
    if (expiresTime.getTime() <= Date.now()) refuse('pictureAddressExpired')
    const picture = (await queries.findPicture(db, idNumber(id))) ?? refuse('pictureNotFound')
    return { ...picture, expiresTime }
  }

  return {
    /**
     * Signs an address that is valid for so many days. Throws `advertisementNotFound` where the caller does not see the
     * advertisement or it was deleted, and `advertisementNotPicture` for a film.
     */
    async shareAdvertisement(actor: Actor, { id, days }: ParsedInputFor<typeof shareAdvertisement>) {
      const found = await queries.findAdvertisement(db, actor, idNumber(id))
      if (!found || found.fgDelete === 1) return refuse('advertisementNotFound')
      if (!isPicture(found.contentType)) refuse('advertisementNotPicture')
      const expires = String(Math.ceil((Date.now() + days * dayMs) / 1000))
      const signature = (await signatureOf(id, expires)).toString('base64url')
      await db.transaction().execute((trx) =>
        recordOperation(trx, actor, {
          target: `广告 ${found.adName}`,
          changes: { after: { adName: found.adName, days } },
        }),
      )
      return {
        path: `/pic?${new URLSearchParams({ id, expires, signature })}`,
        expiresTime: new Date(Number(expires) * 1000),
      }
    },

    async readSharedPicture(address: Address) {
      const { name, expiresTime } = await find(address)
      return { name, expiresTime }
    },

    async readSharedPictureFile(address: Address): Promise<KeptFile> {
      const { fileId } = await find(address)
      return { file: await files.find(fileId), disposition: 'inline' }
    },
  }
}

const isPicture = (contentType: string) => contentType.startsWith('image/')
