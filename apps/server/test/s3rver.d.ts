declare module '@20minutes/s3rver' {
  interface Context {
    app: object
    method: string
    path: string
    query: Record<string, string | undefined>
    headers: Record<string, string | undefined>
    status: number
    type: string
    body: string
  }
  type Middleware = (context: Context, next: () => Promise<void>) => Promise<void> | void

  /** The part of the class that test/bucket.ts uses. */
  export default class S3rver {
    middleware: Middleware[]
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      configureBuckets: { name: string }[]
    })
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
