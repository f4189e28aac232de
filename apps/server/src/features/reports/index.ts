import { feature } from '../../platform/feature.ts'
import { ownUrl } from '../../platform/process/own-url.ts'
import { notifications } from '../notifications/index.ts'
import { createAvailability } from './availability/availability.service.ts'
import { reportJobs } from './days/days.jobs.ts'
import { createQuality } from './quality/quality.service.ts'
import { mountReports } from './reports.routes.ts'
import { reportSeeds } from './reports.seeds.ts'
import { createMailingJob } from './subscriptions/mailing.ts'
import { createSubscriptions } from './subscriptions/subscriptions.service.ts'

/** How a time went: how good the alarms were, and how much of it the devices worked. */
export const reports = feature({
  name: 'reports',
  tables: [
    'report_alarm_delta',
    'report_beat',
    'report_chattering',
    'report_day',
    'report_device',
    'report_device_alarms',
    'report_device_day',
    'report_device_month',
    'report_moved',
    'report_place_day',
    'report_plan',
    'report_subscription',
    'report_touched',
    'report_window',
  ],
  constraints: {
    report_subscription_channel_used: 'reportChannelInUse',
    report_subscription_name_taken: 'reportSubscriptionTaken',
  },
  seeds: reportSeeds,
  create({ config, db, log, ports, use }) {
    const { zone, historyRetentionDays: retentionDays } = config
    const quality = createQuality({ db, zone })
    const availability = createAvailability({ db, zone })
    const { letters } = use(notifications)
    const subscriptions = createSubscriptions({ db, letters })
    const consoleUrl = () => ownUrl(config, ports)
    return {
      service: { quality, availability },
      mount: (api) => mountReports(api, { quality, availability, subscriptions }),
      jobs: [
        ...reportJobs({ db, zone, retentionDays }),
        createMailingJob({ db, zone, log, letters, quality, availability, consoleUrl }),
      ],
    }
  },
})
