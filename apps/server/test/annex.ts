import type { DataFor, uploadAdvertisementFile } from '@voltkeep/contract'
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
): Promise<DataFor<typeof uploadAdvertisementFile>> {
  const answer = await postAnnex(app, token, png)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data as DataFor<typeof uploadAdvertisementFile>
}
