import type { createAdvertisement, DataFor, InputFor, uploadAdvertisementFile } from '@voltkeep/contract'
import type { TestClient } from './client.ts'

/** The smallest possible PNG, one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Uploads a file for an advertisement; returns the envelope unparsed. */
export async function postAnnex(
  app: Pick<TestClient, 'request'>,
  token: string,
  bytes: Uint8Array,
  name = '春节.png',
) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  return app.request('/api/ad/upload/annex', {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  })
}

export async function uploadAnnex(
  app: Pick<TestClient, 'request'>,
  token: string,
  bytes: Uint8Array = png,
): Promise<DataFor<typeof uploadAdvertisementFile>> {
  const answer = await postAnnex(app, token, bytes)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data as DataFor<typeof uploadAdvertisementFile>
}

/** An advertisement of the uploaded file that runs for years. */
export const advertisementOf = (
  annexUrl: string,
  cabinets: InputFor<typeof createAdvertisement>['cabinets'],
) => ({
  adName: '春节换电优惠',
  adStartTime: '2026-01-01 00:00:00',
  adEndTime: '2099-12-31 23:59:59',
  annexUrl,
  fileMame: '春节.png',
  cabinets,
})
