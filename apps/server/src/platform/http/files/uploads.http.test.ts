import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readServerInfo, uploadAdvertisementFile } from '@voltkeep/contract'
import { expect, onTestFinished, test } from 'vitest'
import { png, postAnnex } from '../../../../test/annex.ts'
import { appOfTests } from '../../../../test/app.ts'

const app = await appOfTests()

const asUploader = () => app.asUser({ functionCodes: [uploadAdvertisementFile.access] })

/** An upload whose file does not come to its end. */
async function beginUpload(token: string): Promise<Socket> {
  const socket = connect(app.ports.httpPort ?? 0, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    `POST /api${uploadAdvertisementFile.path} HTTP/1.1\r\nHost: voltkeep\r\nAuthorization: ${token}\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n' +
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nbegun',
  )
  return socket
}
const underWay = async () => (await app.database.pool.query('SELECT FROM file_upload')).rows.length
const metCountOf = async (limit: string) => {
  const { data } = await app.call(readServerInfo, {}, await app.asAdmin())
  return data.limits.find(({ name }) => name === limit)?.metCount
}

test('a user has at most three uploads under way; one more may begin when one has ended', async () => {
  const own = await asUploader()
  const sockets = [await beginUpload(own.token), await beginUpload(own.token), await beginUpload(own.token)]
  await expect.poll(underWay).toBe(3)
  expect(await postAnnex(app, own.token, png)).toMatchObject({
    status: 429,
    refusal: 'ownUploadsRunning',
    message: '同时上传的文件过多，请等待上传完成后再试',
  })
  expect((await postAnnex(app, (await asUploader()).token, png)).code).toBe(200)
  expect(await metCountOf('一个用户的上传')).toBe(1)
  expect(app.logged.join()).toContain('一个用户同时进行的上传超过上限')
  sockets[0]?.destroy()
  await expect.poll(async () => (await postAnnex(app, own.token, png)).code).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(underWay).toBe(0)
})

test('what a user has uploaded and not used is limited, and the refusal says what helps', async () => {
  const own = await asUploader()
  await app.database.pool.query(
    `INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type, uploaded_by, organization_id)
     VALUES (gen_random_uuid(), 'x', $1, '', '', '', '', $2, 1)`,
    [1024 ** 3, own.id],
  )
  const message = '您已上传但未使用的文件超过 1024 MB，请先提交，或等待其自动清理（1 小时）'
  expect(await postAnnex(app, own.token, png)).toMatchObject({
    status: 409,
    refusal: 'unusedFilesOfUser',
    message,
    data: [{ field: 'file', message }],
  })
  expect(await metCountOf('已上传但未使用的文件')).toBe(1)
  expect((await postAnnex(app, (await asUploader()).token, png)).code).toBe(200)
})
