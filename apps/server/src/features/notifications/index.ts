import { feature } from '../../platform/feature.ts'
import { allowingPublicAnd, createOutgoing } from '../../platform/http/outgoing/index.ts'
import { amongNetworks } from '../../platform/process/networks.ts'
import { ownUrl } from '../../platform/process/own-url.ts'
import { openSealer } from '../../platform/process/sealing.ts'
import { alarms } from '../alarms/index.ts'
import { createChannels } from './channels/channels.service.ts'
import { createTestSend } from './channels/test-send.ts'
import { createContacts } from './contacts/contacts.service.ts'
import { createDuties } from './duties/duties.service.ts'
import { createEscalationQueue } from './escalations/escalations.queue.ts'
import { createEscalations } from './escalations/escalations.ts'
import { createLetters } from './letters/letters.service.ts'
import { createEscalationsJob, createNotificationsJob, createRatesJob } from './notifications.jobs.ts'
import { mountNotifications } from './notifications.routes.ts'
import { notificationSeeds } from './notifications.seeds.ts'
import { createDeliveries } from './outbox/deliveries.service.ts'
import { createFollower } from './outbox/follower.ts'
import { createOutboxQueue } from './outbox/outbox.queue.ts'
import { createTold } from './outbox/told.service.ts'
import { wakeChannels } from './outbox/waking.ts'
import { createRules } from './rules/rules.service.ts'
import { createSenders } from './senders/index.ts'
import { complainBy } from './targets/receivers.ts'

export { createLetters, type Decision, type Letters } from './letters/letters.service.ts'

/** Telling people of alarms who do not look at the console. */
export const notifications = feature({
  name: 'notifications',
  tables: [
    'duty',
    'duty_exception',
    'duty_member',
    'notify_channel',
    'notify_contact',
    'notify_delivery',
    'notify_escalation',
    'notify_item',
    'notify_letter',
    'notify_rate',
    'notify_rule',
    'notify_rule_target',
  ],
  constraints: {
    duty_name_taken: 'dutyTaken',
    notify_rule_duty_used: 'dutyInUse',
    notify_channel_name_taken: 'notifyChannelTaken',
    notify_rule_channel_used: 'notifyChannelInUse',
    notify_rule_name_taken: 'notifyRuleTaken',
  },
  seeds: notificationSeeds,
  create({ config, db, pool, log, notices, ports, use }) {
    const networks = config.notifyNetworks ?? []
    const isAllowed = allowingPublicAnd(networks)
    const outgoing = createOutgoing(isAllowed)
    const sealer = openSealer(config)
    const senders = createSenders({ outgoing, isAllowed, isInside: amongNetworks(networks), nowMs: Date.now })
    const consoleUrl = () => ownUrl(config, ports)
    const wakeQueue = (id: number) => db.transaction().execute((trx) => wakeChannels(trx, [id]))
    const escalations = createEscalations(use(alarms), complainBy(log))
    const parts = {
      channels: createChannels({
        db,
        sealer,
        testSend: createTestSend({ senders, consoleUrl, nowMs: Date.now }),
        wakeQueue,
      }),
      rules: createRules({ db }),
      deliveries: createDeliveries({ db }),
      told: createTold({ db, alarms: use(alarms) }),
      contacts: createContacts({ db }),
      duties: createDuties({ db }),
    }
    return {
      service: { letters: createLetters() },
      mount: (api) => mountNotifications(api, parts),
      jobs: [
        createNotificationsJob({ db, keptDays: config.historyRetentionDays }),
        createEscalationsJob({ db, keptDays: config.historyRetentionDays }),
        createRatesJob(db),
      ],
      workers: [
        createFollower({ db, notices, log, escalations }),
        createEscalationQueue({ pool, notices, log }, { escalations, wakeChannels }),
        createOutboxQueue({ db, pool, notices, log, sealer, senders, consoleUrl, escalations }),
      ],
    }
  },
})
