/**
 * Pictures of advertisements that are shown to whoever has their address, until it expires. The address names the
 * advertisement and who shared it, and carries a signature, so no row is kept of it; it ends early with the
 * advertisement, and while that user may not share.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeptFile, ParsedInputFor, readSharedPicture, shareAdvertisement } from '@voltkeep/contract'
import { standingScope } from '../../domain/access/deciders.ts'
import { readReaches } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { readSecret } from '../../platform/database/secrets.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import * as queries from './advertisements.queries.ts'

export type SharedPictures = ReturnType<typeof createSharedPictures>
type Address = ParsedInputFor<typeof readSharedPicture>

const dayMs = 86_400_000
const sharing = 'ad:share' satisfies typeof shareAdvertisement.access

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
  const signatureOf = async ({ id, by, expires }: Omit<Address, 'signature'>) =>
    createHmac('sha256', await key())
      .update(['picture', id, expires, ...(by === undefined ? [] : [by])].join('\n'))
      .digest()

  /** Throws `pictureAddressInvalid`, `pictureAddressExpired` and `pictureNotFound`. */
  async function find({ signature, ...address }: Address) {
    const { id, by, expires } = address
    const expected = await signatureOf(address)
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) refuse('pictureAddressInvalid')
    const expiresTime = new Date(Number(expires) * 1000)
    if (expiresTime.getTime() <= sharedNowMs()) refuse('pictureAddressExpired')
    if (by !== undefined && !(await mayStillShare(db, idNumber(by), idNumber(id)))) refuse('pictureNotFound')
    const picture = (await queries.findPicture(db, idNumber(id))) ?? refuse('pictureNotFound')
    return { ...picture, expiresTime }
  }

  return {
    /**
     * Signs an address that is valid for this number of days. Throws `advertisementNotFound` where the caller does not
     * see the advertisement or it was deleted, and `advertisementNotPicture` for a film.
     */
    async shareAdvertisement(actor: Actor, { id, days }: ParsedInputFor<typeof shareAdvertisement>) {
      const found = await queries.findAdvertisement(db, actor, idNumber(id))
      if (!found || found.fgDelete === 1) return refuse('advertisementNotFound')
      if (!isPicture(found.contentType)) refuse('advertisementNotPicture')
      const expires = String(Math.ceil((sharedNowMs() + days * dayMs) / 1000))
      const address = { id, by: String(actor.userId), expires }
      const signature = (await signatureOf(address)).toString('base64url')
      await db.transaction().execute((trx) =>
        recordOperation(trx, actor, {
          target: `广告 ${found.adName}`,
          changes: { after: { adName: found.adName, days } },
        }),
      )
      return {
        path: `/pic?${new URLSearchParams({ ...address, signature })}`,
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

/** Whether the user may share, and sees the advertisement, as for a new address. */
async function mayStillShare(db: Db, userId: number, advertisementId: number): Promise<boolean> {
  const sharer = { userId, name: '', role: '分享人', functionCodes: [sharing] }
  const { stopped } = await standingScope(db, [sharer])
  const viewer = (await readReaches(db, [userId])).get(userId)
  return !stopped && !!viewer && (await queries.findAdvertisement(db, viewer, advertisementId)) !== undefined
}

const isPicture = (contentType: string) => contentType.startsWith('image/')
