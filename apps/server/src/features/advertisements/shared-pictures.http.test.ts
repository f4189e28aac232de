import {
  createAdvertisement,
  deleteAdvertisement,
  readSharedPicture,
  readSharedPictureFile,
  shareAdvertisement,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { png, postAnnex } from '../../../test/annex.ts'
import { makeKey } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { followClock } from '../../platform/process/clocks/shared-clock.ts'

const functionCodes = ['ad:page', 'ad:create', 'ad:delete', 'ad:share']

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
await insertDevice(app.db, { operatorId, modelId: await insertModel(app.db) })
const token = (await app.asUser({ organizationId, functionCodes })).token
const stranger = (await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })).token

async function publish(bytes: Uint8Array = png): Promise<string> {
  const { data } = await postAnnex(app, token, bytes)
  const { annexUrl, fileMame } = data as { annexUrl: string; fileMame: string }
  const answer = await app.call(
    createAdvertisement,
    { adName: '春节', adStartTime: '2026-01-01', adEndTime: '2099-12-31', annexUrl, fileMame },
    token,
  )
  expect(answer.code).toBe(200)
  return answer.data.id
}

/** The parameters of a shared address. */
async function share(id: string, days = 7) {
  const { data } = await app.call(shareAdvertisement, { id, days }, token)
  const { pathname, searchParams } = new URL(data.path, app.url)
  expect(pathname).toBe('/pic')
  const { by = '', expires = '', signature = '' } = Object.fromEntries(searchParams)
  return { id: searchParams.get('id') ?? '', by, expires, signature, expiresTime: data.expiresTime }
}

describe('a shared picture', () => {
  test('is shown to anyone with its address, by its name only', async () => {
    const { expiresTime, ...address } = await share(await publish())
    expect((await app.call(readSharedPicture, address)).data).toEqual({ name: '春节', expiresTime })
    const file = await fetch(`${app.url}/api${readSharedPictureFile.path}?${new URLSearchParams(address)}`)
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(file.headers.get('content-disposition')).toMatch(/^inline/)
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png)
  })

  test('is gone while the user who shared it is disabled or may not share', async () => {
    const id = await publish()
    const sharer = await app.asUser({ organizationId, functionCodes: ['ad:share'] })
    const { data } = await app.call(shareAdvertisement, { id, days: 7 }, sharer.token)
    const address = Object.fromEntries(new URL(data.path, app.url).searchParams) as Record<
      'id' | 'by' | 'expires' | 'signature',
      string
    >
    const codeOf = async (asked = address) => (await app.call(readSharedPicture, asked)).code
    expect(await codeOf()).toBe(200)
    expect(await codeOf({ ...address, by: '1' })).toBe(403)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${sharer.id}`.execute(app.db)
    expect(await codeOf()).toBe(404)
    await sql`UPDATE app_user SET is_enabled = true WHERE id = ${sharer.id}`.execute(app.db)
    expect(await codeOf()).toBe(200)
    await sql`DELETE FROM user_role WHERE user_id = ${sharer.id}`.execute(app.db)
    expect(await codeOf()).toBe(404)
  })

  test('is gone while the user who shared it belongs to another organization', async () => {
    const id = await publish()
    const sharer = await app.asUser({ organizationId, functionCodes: ['ad:share'] })
    const { data } = await app.call(shareAdvertisement, { id, days: 7 }, sharer.token)
    const address = Object.fromEntries(new URL(data.path, app.url).searchParams) as Record<
      'id' | 'by' | 'expires' | 'signature',
      string
    >
    const moveTo = (organization: number) =>
      sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${sharer.id}`.execute(app.db)
    await moveTo(await insertOrganization(app.db))
    expect(await app.call(readSharedPicture, address)).toMatchObject({ code: 404 })
    await moveTo(organizationId)
    expect(await app.call(readSharedPicture, address)).toMatchObject({ code: 200 })
  })

  test('that a key has shared is gone while the key is stopped or has expired', async () => {
    const id = await publish()
    const maker = await app.asUser({
      organizationId,
      functionCodes: ['ad:share', 'ad:page', 'apiKey:insert'],
    })
    const key = await makeKey(app, maker.token, { functionCodes: ['ad:share', 'ad:page'] })
    const { data } = await app.call(shareAdvertisement, { id, days: 7 }, key.secret)
    const address = Object.fromEntries(new URL(data.path, app.url).searchParams) as Record<
      'id' | 'by' | 'expires' | 'signature',
      string
    >
    const codeOf = async () => (await app.call(readSharedPicture, address)).code
    const moveTo = (organization: number) =>
      sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${maker.id}`.execute(app.db)
    expect(await codeOf()).toBe(200)
    await moveTo(await insertOrganization(app.db))
    expect(await codeOf()).toBe(404)
    await moveTo(organizationId)
    expect(await codeOf()).toBe(200)
    await sql`UPDATE api_key SET expires_at = now() WHERE user_id = ${Number(key.id)}`.execute(app.db)
    expect(await codeOf()).toBe(404)
  })

  test('is refused for an address that was changed or is incomplete', async () => {
    const address = await share(await publish())
    const other = await publish()
    for (const wrong of [
      { ...address, id: other },
      { ...address, expires: String(Number(address.expires) + 1) },
      { ...address, signature: `A${address.signature.slice(1)}B` },
    ]) {
      for (const call of [readSharedPicture, readSharedPictureFile]) {
        expect(await app.call(call, wrong)).toMatchObject({ status: 403, refusal: 'pictureAddressInvalid' })
      }
    }
    expect(await app.call(readSharedPicture, { id: address.id } as typeof address)).toMatchObject({
      status: 400,
      message: '分享链接不完整',
    })
  })

  test('expires', async () => {
    const { expiresTime: _, ...address } = await share(await publish(), 1)
    const unfollow = followClock(() => Number(address.expires) * 1000)
    onTestFinished(unfollow)
    expect(await app.call(readSharedPicture, address)).toMatchObject({
      status: 403,
      refusal: 'pictureAddressExpired',
      message: '分享链接已过期',
    })
  })

  test('ends when its advertisement is deleted', async () => {
    const id = await publish()
    const { expiresTime: _, ...address } = await share(id)
    await app.call(deleteAdvertisement, { id }, token)
    expect(await app.call(readSharedPicture, address)).toMatchObject({
      status: 404,
      refusal: 'pictureNotFound',
    })
    expect(await app.call(shareAdvertisement, { id }, token)).toMatchObject({ status: 404 })
  })

  test('can be shared by anyone who sees the advertisement, and is recorded in the operation log', async () => {
    const id = await publish()
    expect(await app.call(shareAdvertisement, { id }, stranger)).toMatchObject({
      status: 404,
      refusal: 'advertisementNotFound',
    })
    expect(await app.call(shareAdvertisement, { id, days: 2 as 7 }, token)).toMatchObject({ status: 400 })
    await share(id, 30)
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['target', 'changes'])
      .where('call', '=', '/ad/share/:id')
      .where('result_code', '=', 200)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(logged).toEqual({ target: '广告 春节', changes: { after: { adName: '春节', days: 30 } } })
  })

  test('must not be a video', async () => {
    const id = await publish(Buffer.from('0000001866747970697366f6d00000200', 'hex'))
    expect(await app.call(shareAdvertisement, { id }, token)).toMatchObject({
      status: 400,
      message: '只能分享图片广告',
    })
  })
})
