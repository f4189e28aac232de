// Users who may upload files for advertisements and nothing else, of a server in a process of its own.
import { uploadAdvertisementFile } from '@voltkeep/contract'
import { openDatabase } from '../src/platform/database/database.ts'
import { png } from './annex.ts'
import { databaseUrlOf } from './embedded-url.ts'
import { insertOrganization, insertRole, insertUser } from './factories.ts'
import type { ServerProcess } from './server-process.ts'

/** Tokens of this number of users, each in an organization of its own. */
export async function signInUploaders(server: ServerProcess, count: number): Promise<string[]> {
  const { db, close } = await openDatabase({
    url: databaseUrlOf(server.seenDataDir),
    zone: 'UTC',
    poolSize: 1,
  })
  try {
    const role = await insertRole(db, { functionCodes: [uploadAdvertisementFile.access] })
    const tokens: string[] = []
    for (let n = 0; n < count; n += 1) {
      const user = await insertUser(db, { organizationId: await insertOrganization(db), roleIds: [role] })
      tokens.push(await server.client.signIn(user.loginName, user.password))
    }
    return tokens
  } finally {
    await close()
  }
}

/** A picture of this number of bytes, as far as the server looks. */
export const pictureOf = (bytes: number): Blob => new Blob([png, new Uint8Array(bytes - png.byteLength)])

/** Uploads it; 200, or the refusal's name. */
export async function uploadPicture(url: string, token: string, picture: Blob): Promise<200 | string> {
  const form = new FormData()
  form.append('file', picture, '春节.png')
  const response = await fetch(`${url}/api${uploadAdvertisementFile.path}`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  }).catch(() => null)
  // Refused while it was sent, and the connection ended before the answer was read.
  if (!response) return 'cut off'
  const { code, refusal } = (await response.json()) as { code: number; refusal?: string }
  return code === 200 ? 200 : (refusal ?? String(code))
}
