import { hostname } from 'node:os'
import { createSecureContext } from 'node:tls'
import { Counter } from 'prom-client'
import { feature } from '../../platform/feature.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { StartupError } from '../../platform/process/startup-error.ts'
import { type Receiver, readFiles } from './delivery.ts'
import { forgetUnwanted, noteWanted } from './syslog.queries.ts'
import { createSyslog } from './syslog.service.ts'

/** The operation log, sign-ins among it, told to the company's syslog receiver. */
export const syslog = feature({
  name: 'syslog',
  tables: ['syslog_pending', 'syslog_state'],
  create({ db, config, log, metrics, version, warnings }) {
    const { syslogUrl: url, syslogCa: ca, syslogCert: cert, syslogKey: key } = config
    if (url === undefined)
      return {
        service: null,
        jobs: [{ name: 'syslog.forget', everyMs: 86_400_000, run: () => forgetUnwanted(db) }],
      }
    const receiver: Receiver = { url, ca, cert, key }
    const sent = new Counter({
      name: 'voltkeep_syslog_sent_total',
      help: 'Entries of the operation log that the syslog receiver has read',
      registers: [metrics],
    })
    const failures = new Counter({
      name: 'voltkeep_syslog_failures_total',
      help: 'Connections to the syslog receiver of which it is not known that everything was read',
      registers: [metrics],
    })
    const service = createSyslog({
      db,
      log,
      receiver,
      origin: {
        host: config.nodeName ?? hostname(),
        version,
        enterpriseNumber: config.syslogEnterpriseNumber,
      },
      onSent: (count) => sent.inc(count),
      onFailed: () => failures.inc(),
    })
    warnings.add(() => service.warning())
    return {
      service: null,
      async prepare() {
        checkFiles(receiver)
        await noteWanted(db)
      },
      jobs: [{ name: 'syslog.send', everyMs: 5_000, run: (signal) => service.send(signal) }],
    }
  },
})

function checkFiles(receiver: Receiver): void {
  try {
    createSecureContext(readFiles(receiver))
  } catch (error) {
    const why = (error as Error).message
    throw new StartupError(
      spoken({
        zh: `SYSLOG_CA、SYSLOG_CERT 或 SYSLOG_KEY 的文件无法使用：${why}`,
        en: `A file of SYSLOG_CA, SYSLOG_CERT or SYSLOG_KEY cannot be used: ${why}`,
      }),
    )
  }
}
