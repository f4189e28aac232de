// The limits of HTTP requests: each one that is met is counted and, now and then, logged.

import type { RefusalName } from '@voltkeep/contract'
import { Counter, type Registry } from 'prom-client'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { type Sentence, spoken } from '../../process/sentences.ts'

/** The limits of HTTP, and how the operator is told that one was met. */
const limits = {
  bodyTooLarge: {
    zh: '请求内容超过该接口的上限，已拒绝',
    en: 'a request was larger than its call admits and was refused',
  },
  tooManyFields: {
    zh: '请求内容的字段过多，已拒绝',
    en: 'a request had too many fields and was refused',
  },
  bodyTooSlow: {
    zh: '请求内容未在限时内传完，已断开连接',
    en: 'a request did not come in in time, its connection was closed',
  },
  uploadTooSlow: {
    zh: '上传速度低于下限，已断开连接',
    en: 'an upload was slower than the least speed, its connection was closed',
  },
  readerTooSlow: {
    zh: '客户端接收过慢，已断开连接',
    en: 'a client took its answer too slowly, its connection was closed',
  },
  ownExportsRunning: {
    zh: '一个用户同时进行的导出超过上限，已拒绝',
    en: 'a user has as many exports running as there may be, one more was refused',
  },
  tooManyExports: {
    zh: '同时进行的导出过多，已拒绝',
    en: 'as many exports are running as there may be, one more was refused',
  },
  ownUploadsRunning: {
    zh: '一个用户同时进行的上传超过上限，已拒绝',
    en: 'a user has as many uploads under way as there may be, one more was refused',
  },
  unusedFilesOfUser: {
    zh: '一个用户已上传但未使用的文件超过上限，已拒绝',
    en: 'the uploaded and unused files of a user are over the limit, an upload was refused',
  },
  unusedFilesOfOrganization: {
    zh: '一个组织已上传但未使用的文件超过上限，已拒绝',
    en: 'the uploaded and unused files of an organization are over the limit, an upload was refused',
  },
  filesFull: {
    zh: '磁盘空间不足，上传或导出已拒绝',
    en: 'too little disk space, an upload or export was refused',
  },
  tooManyStreams: {
    zh: '一个用户的实时更新连接超过上限，已拒绝',
    en: 'a user has as many connections for live updates as there may be, one more was refused',
  },
  tooManyCalls: {
    zh: '一个用户或地址排队的请求超过上限，已拒绝',
    en: 'a user or an address has as many requests waiting as there may be, one more was refused',
  },
  tooManyAhead: {
    zh: '一个连接上未等答复连续发送的请求过多，已断开连接',
    en: 'too many requests were sent on a connection without waiting for answers, it was closed',
  },
} as const satisfies Partial<Record<RefusalName | 'uploadTooSlow' | 'readerTooSlow', Sentence>>
export type HttpLimit = keyof typeof limits

/** Counts each time that a limit was met, and logs it, every five seconds at most for each limit. */
export interface HttpLimits {
  met(limit: HttpLimit, of: { address: string; call?: string | undefined }): void
  /** The same for a refusal, if it is that of a limit. */
  metBy(refusal: RefusalName, of: { address: string; call?: string | undefined }): void
}

export function createHttpLimits({
  log,
  metrics,
}: {
  log: Pick<Log, 'warn'>
  metrics: Registry
}): HttpLimits {
  const counter = new Counter({
    name: 'voltkeep_http_limits_met_total',
    help: 'HTTP requests that met a limit, by limit',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const complaints = new Map<HttpLimit, ReturnType<typeof createComplaints>>()
  for (const limit of Object.keys(limits) as HttpLimit[]) {
    counter.inc({ limit }, 0)
    complaints.set(
      limit,
      createComplaints((of, count) => log.warn({ ...(of as object), count }, spoken(limits[limit]))),
    )
  }
  const met: HttpLimits['met'] = (limit, of) => {
    counter.inc({ limit })
    complaints.get(limit)?.(of)
  }
  return {
    met,
    metBy(refusal, of) {
      if (refusal in limits) met(refusal as HttpLimit, of)
    },
  }
}
