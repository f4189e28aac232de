// What is proved of alarms by the tests that run over all nouns (noun-proofs.ts).
import { type InputFor, insertAlarmShelf } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import {
  asItIs,
  inDetail,
  openFirst,
  press,
  pressFirst,
  pressInDetail,
  whenOpen,
} from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import {
  type Belongings,
  deviceCode,
  equipId,
  operator,
  organization,
  type Reference,
  shared,
} from '../references.ts'
import { ofDevices } from '../scope-models.ts'

const alarmIds: Reference = {
  to: 'alarms by ids',
  input: (named) => ({ ids: [named.alarmId] }),
  isOfDevice: true,
}
const alarmId: Reference = {
  to: 'alarm',
  input: (named) => ({ id: named.alarmId, note: '已处理' }),
  isOfDevice: true,
}

/** Opens what the first alarm's menu offers. */
const chooseOfFirst = (name: string) => async (page: Page) => {
  await page
    .getByRole('button', { name: /的更多操作$/ })
    .filter({ visible: true })
    .first()
    .click()
  await page.getByRole('menuitem', { name }).click()
  await whenOpen(page)
}

/** The alarm of somebody, by its id. */
const alarmsChosen = (more: (own: Belongings) => Record<string, unknown> = () => ({})): Reference => ({
  to: 'alarms by ids',
  input: (named, own) => ({ ids: [named.alarmId], ...more(own) }),
  isOfDevice: true,
})
const shelvedDevice: Reference = {
  to: 'device by code',
  input: (named) => ({ deviceCodes: [named.deviceCode], reason: '备件在途' }),
  isOfDevice: true,
}
const byHandlingVersion =
  'takes the version of how the alarm is handled, which is no column of the row: handling.http.test.ts'

/** A row has a button for it, a card a choice behind ⋯. */
const openMeaning = async (page: Page) =>
  await ((page.viewportSize()?.width ?? 0) < 768 ? chooseOfFirst('告警内容') : pressFirst('告警内容'))(page)

export const proofs: NounProofs = {
  references: {
    listAlarms: [organization(), operator(), deviceCode, equipId, alarmIds],
    exportAlarms: [organization(), operator(), deviceCode, equipId],
    listAlarmHistory: [organization(), operator(), deviceCode, equipId],
    exportAlarmHistory: [organization(), operator(), deviceCode, equipId],
    listAlarmCauses:
      'answers where many alarms have one cause alone; its own tests ask as users with narrower scopes',
    countAlarmLevels: [organization(), operator(), deviceCode, equipId],
    countHistoryLevels: [organization(), operator(), deviceCode, equipId],
    readHistorySums: [organization(), operator(), deviceCode, equipId],
    readAlarm: [alarmId],
    readAlarmTimeline: [alarmId],
    recoverAlarm: [alarmId],
    recoverAlarms: [
      { to: 'alarms by ids', input: (named) => ({ ids: [named.alarmId], count: 1, note: '已处理' }) },
      organization(({ organizationId }) => ({ organizationId, count: 1, note: '已处理' })),
    ],
    ackAlarms: [alarmsChosen()],
    unackAlarms: [alarmsChosen()],
    claimAlarms: [alarmsChosen()],
    releaseAlarms: [alarmsChosen()],
    assignAlarms: [
      // Not as a colleague: nobody of those who are asked for there may have alarms.
      { ...alarmsChosen(({ userId }) => ({ userId })), isOfDevice: undefined },
      {
        to: 'user',
        input: (named, own) => ({ ids: [own.alarmId], userId: named.userId }),
      },
    ],
    closeAlarms: [alarmsChosen(() => ({ cause: 'other' }))],
    noteAlarm: [alarmId],
    readAlarmHandling: [alarmId],
    listAlarmAssignees: [alarmsChosen()],
    decodeAlarms: shared,
    listAlarmShelves:
      'lists shelves, of which the world of these tests has none: shelves.http.test.ts asks as others',
    previewAlarmShelf: [alarmsChosen(), shelvedDevice],
    insertAlarmShelf: [alarmsChosen(() => ({ reason: '备件在途' })), shelvedDevice],
    updateAlarmShelf: 'a shelf is of devices or of an organization: shelves.http.test.ts asks as others',
    endIdleShelves: 'names nothing: shelves.http.test.ts asks as others',
    endAlarmShelf: 'a shelf is of devices or of an organization: shelves.http.test.ts asks as others',
  },
  scope: {
    listAlarms: { model: ofDevices },
    listAlarmHistory: { model: ofDevices },
    listAlarmShelves: { model: 'its own tests list it as users with narrower scopes' },
  },
  versions: {
    endAlarmShelf: 'a shelf is ended once, and nothing else of it changes',
    async updateAlarmShelf(app, token) {
      const times = { startTime: '2030-03-30 02:30:00', endTime: '2030-03-30 04:00:00', reason: '检修' }
      const form = { ...times, kind: 'maintenance' as const, filter: { regionCode: '440300' } }
      const { data } = await app.call(insertAlarmShelf, form as InputFor<typeof insertAlarmShelf>, token)
      return { table: 'alarm_shelf', key: { id: data.id }, change: () => times }
    },
    endIdleShelves: 'refused where there are other ones than were shown; each ends once',
    recoverAlarm: 'refused by the state of the alarm: it recovers once',
    recoverAlarms: 'refused where more alarms match than the question named; each recovers once',
    ackAlarms: byHandlingVersion,
    unackAlarms: byHandlingVersion,
    claimAlarms: byHandlingVersion,
    releaseAlarms: byHandlingVersion,
    assignAlarms: byHandlingVersion,
    closeAlarms: byHandlingVersion,
    noteAlarm: 'adds a note, and changes nothing that another user could have changed',
  },
  screens: [
    [
      '/maintenance/exitWarning',
      {
        'current alarms': asItIs,
        'one alarm': openFirst,
        'what an alarm means': openMeaning,
        'the form of a recovery': pressInDetail('恢复'),
      },
    ],
    ['/maintenance/exitWarning?tab=history', { 'alarm history': asItIs }],
    ['/maintenance/exitWarning?semaphoreName=NOSUCH', { 'no alarms': asItIs }],
    ['/maintenance/exitWarning?tab=shelved&isShelved=1', { 'shelved alarms': asItIs }],
    ['/maintenance/exitWarning?tab=shelves', { 'shelves of alarms': asItIs }],
  ],
  forms: {
    'the end of an alarm': {
      of: 'alarms/handle/DeedDialog',
      path: '/maintenance/exitWarning',
      open: chooseOfFirst('关闭…'),
      problems: ['请选择原因'],
      sends: 'alarm/close',
    },
    'the shelving of an alarm': {
      of: 'alarms/shelves/ShelveDialog',
      path: '/maintenance/exitWarning',
      open: chooseOfFirst('搁置…'),
      problems: ['请输入原因'],
      sends: 'alarm/shelf/insert',
    },
    'a new shelf of alarms': {
      of: 'alarms/shelves/ShelfDialog',
      path: '/maintenance/exitWarning?tab=shelves',
      open: press('新增'),
      problems: ['请输入原因'],
      sends: 'alarm/shelf/insert',
    },
    'the recovery of an alarm': {
      of: 'alarms/recover/RecoverDialog',
      path: '/maintenance/exitWarning',
      open: inDetail('恢复'),
      problems: ['请输入处理说明'],
      sends: 'alarm/recover/*',
    },
    'the recovery of many alarms': {
      of: 'alarms/recover/RecoverManyDialog',
      path: '/maintenance/exitWarning',
      open: async (page) => {
        await page.locator('[data-key] input[type=checkbox]').first().check()
        await page
          .getByRole('button', { name: /恢复.*(所选|全部)|(所选|全部).*恢复/ })
          .filter({ visible: true })
          .last()
          .click()
        await whenOpen(page)
      },
      problems: ['请输入处理说明'],
      sends: 'alarm/recovery',
    },
  },
  additions: {
    countAlarmLevels: reasons.supervision,
    countHistoryLevels: reasons.supervision,
    readHistorySums: reasons.supervision,
    readAlarm: reasons.oneRow,
    readAlarmTimeline: reasons.oneRow,
    exportAlarms: reasons.sheet,
    exportAlarmHistory: reasons.sheet,
    recoverAlarm: reasons.security,
    recoverAlarms: reasons.security,
    ackAlarms: reasons.supervision,
    unackAlarms: reasons.supervision,
    claimAlarms: reasons.supervision,
    releaseAlarms: reasons.supervision,
    assignAlarms: reasons.supervision,
    closeAlarms: reasons.supervision,
    noteAlarm: reasons.supervision,
    readAlarmHandling: reasons.oneRow,
    listAlarmAssignees: reasons.supervision,
    listAlarmCauses: reasons.supervision,
    listAlarmShelves: reasons.supervision,
    previewAlarmShelf: reasons.supervision,
    insertAlarmShelf: reasons.supervision,
    updateAlarmShelf: reasons.supervision,
    endAlarmShelf: reasons.supervision,
    endIdleShelves: reasons.supervision,
  },
}
