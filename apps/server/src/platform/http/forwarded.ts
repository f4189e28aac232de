import type { FastifyInstance } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { Log } from '../process/log.ts'
import { type Sentence, spoken } from '../process/sentences.ts'
import type { Warnings } from '../process/warnings.ts'

const advice: Sentence = {
  zh:
    '收到带 X-Forwarded-For 的请求，但未设置 TRUSTED_PROXIES：如果前面有反向代理，所有人会被视为来自同一个地址，登录限制会相互影响，' +
    '请把代理的地址填入 TRUSTED_PROXIES；如果没有代理，可以忽略',
  en:
    'requests have X-Forwarded-For, and TRUSTED_PROXIES is not set: behind a proxy all users would have one address and share ' +
    'the limits of sign-ins. Name the addresses of the proxy in TRUSTED_PROXIES; without a proxy ignore this',
}

/**
 * For a server that trusts no proxy: counts the calls that carry a proxy's header, and logs once that there are some.
 * Behind a proxy that is not trusted all users have one address, and one of them can get it refused for all.
 */
export function noticeUntrustedProxy(
  app: FastifyInstance,
  { log, metrics, warnings }: { log: Log; metrics: Registry; warnings: Warnings },
): void {
  const counter = new Counter({
    name: 'voltkeep_http_untrusted_forwarded_total',
    help: 'Calls with X-Forwarded-For while TRUSTED_PROXIES is not set',
    registers: [metrics],
  })
  let isSeen = false
  warnings.add(() => (isSeen ? advice : null))
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-forwarded-for'] === undefined) return
    counter.inc()
    if (isSeen) return
    isSeen = true
    log.warn({ from: request.socket.remoteAddress }, spoken(advice))
  })
}
