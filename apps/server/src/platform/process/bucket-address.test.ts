import { describe, expect, test } from 'vitest'
import { bucketAddressOf } from './bucket-address.ts'

describe('the address of a bucket', () => {
  test.each([
    ['https://s3.example.com/voltkeep', 'https://s3.example.com', 'voltkeep', '', true],
    ['http://127.0.0.1:9000/voltkeep/', 'http://127.0.0.1:9000', 'voltkeep', '', true],
    ['https://host/bucket/a/b', 'https://host', 'bucket', 'a/b/', true],
    [
      'https://voltkeep.oss-cn-hangzhou.aliyuncs.com',
      'https://oss-cn-hangzhou.aliyuncs.com',
      'voltkeep',
      '',
      false,
    ],
    ['https://voltkeep.s3.example.com:8443/', 'https://s3.example.com:8443', 'voltkeep', '', false],
  ])('%s', (url, endpoint, bucket, prefix, isPathStyle) => {
    expect(bucketAddressOf(url)).toEqual({ endpoint, bucket, prefix, isPathStyle })
  })

  test.each(['https://localhost', 'http://127.0.0.1:9000/', 'https://example.com', 'http://[::1]:9000'])(
    '%s names no bucket',
    (url) => {
      expect(bucketAddressOf(url)).toBeUndefined()
    },
  )
})
