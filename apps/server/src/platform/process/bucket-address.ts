/** What S3_URL says: where the service is, which bucket, and below which prefix our objects lie. */
export interface BucketAddress {
  endpoint: string
  bucket: string
  /** Empty or with a slash at its end. */
  prefix: string
  /** The bucket stands in the path and not in the host name. */
  isPathStyle: boolean
}

/**
 * `https://host/bucket` or `https://host/bucket/prefix`. Without a path the bucket is the first label of the host,
 * `https://bucket.oss-cn-hangzhou.aliyuncs.com`: some services take no other form. Undefined where it is neither.
 */
export function bucketAddressOf(url: string): BucketAddress | undefined {
  const { protocol, host, hostname, pathname } = new URL(url)
  const [bucket, ...prefix] = pathname.split('/').filter((part) => part !== '')
  if (bucket !== undefined) {
    return {
      endpoint: `${protocol}//${host}`,
      bucket: decodeURIComponent(bucket),
      prefix: prefix.map((part) => `${decodeURIComponent(part)}/`).join(''),
      isPathStyle: true,
    }
  }
  const [label = '', ...rest] = host.split('.')
  if (rest.length < 2 || /^[\d.:[\]]+$/.test(hostname)) return undefined
  return { endpoint: `${protocol}//${rest.join('.')}`, bucket: label, prefix: '', isPathStyle: false }
}
