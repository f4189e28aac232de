// What is proved of reports by the tests that run over all nouns (noun-proofs.ts).
import { insertNotifyChannel, insertReportSubscription } from '@voltkeep/contract'
import { asItIs, press } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { equipId, fresh, operator, organization, ownOnly } from '../references.ts'

const byItsOwnTests =
  'has rows of devices with a past alone: availability.http.test.ts asks as users with narrower scopes'

/** Of organizations, whose channels they name. */
const ownTests = 'subscriptions are of an organization, which its own tests ask as others'

async function channelOf(app: TestApp, token: string): Promise<string> {
  const settings = { host: 'smtp.example.com', port: 465, from: 'ops@example.com' }
  const form = { kind: 'mail' as const, name: fresh('邮件'), address: 'a@example.com', settings }
  return (await app.call(insertNotifyChannel, form, token)).data.id
}
const formOf = (channelId: string) => ({
  name: fresh('订阅'),
  kind: 'alarm' as const,
  every: 'month' as const,
  hour: 8,
  channelId,
})

const places = [organization(), operator(), equipId]

export const proofs: NounProofs = {
  references: {
    readAlarmReport: places,
    exportAlarmReport: places,
    // Devices without a counted day have no row; its own tests ask with narrower scopes.
    readAvailability: byItsOwnTests,
    exportAvailability: byItsOwnTests,
    listReportSubscriptions: ownTests,
    nameMailChannels: ownOnly,
    insertReportSubscription: ownTests,
    updateReportSubscription: ownTests,
    deleteReportSubscription: ownTests,
  },
  scope: {
    listReportSubscriptions: { model: 'its own tests list it as users of several organizations' },
  },
  versions: {
    async updateReportSubscription(app, token) {
      const channelId = await channelOf(app, token)
      const { data } = await app.call(insertReportSubscription, formOf(channelId), token)
      return { table: 'report_subscription', key: { id: data.id }, change: () => formOf(channelId) }
    },
  },
  screens: [
    ['/maintenance/report', { 'the quality of alarms': asItIs }],
    ['/maintenance/report?tab=availability', { availability: asItIs }],
    ['/maintenance/report?tab=subscriptions', { 'reports by mail': asItIs }],
    ['/maintenance/report?startTime=2020-01-01&endTime=2020-01-02', { 'days without an alarm': asItIs }],
  ],
  forms: {
    'a new subscription to a report': {
      of: 'reports/SubscriptionDialog',
      path: '/maintenance/report?tab=subscriptions',
      open: press('新增订阅'),
      problems: ['请输入名称', '请选择邮件渠道'],
      sends: 'report/subscription/insert',
    },
  },
  additions: {
    readAlarmReport: reasons.supervision,
    exportAlarmReport: reasons.sheet,
    readAvailability: reasons.supervision,
    exportAvailability: reasons.sheet,
    listReportSubscriptions: reasons.supervision,
    nameMailChannels: reasons.supervision,
    insertReportSubscription: reasons.supervision,
    updateReportSubscription: reasons.supervision,
    deleteReportSubscription: reasons.supervision,
  },
}
