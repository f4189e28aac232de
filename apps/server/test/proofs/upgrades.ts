// What is proved of upgrade tasks by the tests that run over all nouns (noun-proofs.ts).
import { insertUpgradeTask } from '@voltkeep/contract'
import { asItIs, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import type { NounProofs, Update } from '../noun-proofs.ts'
import { deviceCode, equipId, fresh, type Reference } from '../references.ts'
import { insertFleet, insertPackageFor } from '../upgrades.ts'

const task = (input: Reference['input'] = ({ taskId }) => ({ id: taskId })) => ({ to: 'task', input })
const taskOfLog: Reference = { to: 'task', input: ({ taskId }) => ({ taskId }) }

export const proofs: NounProofs = {
  references: {
    listUpgradeTasks: [
      { to: 'task by ids', input: ({ taskId }) => ({ ids: [taskId], type: 'ALL' }) },
      {
        to: 'device by id',
        input: (named) => ({ equipId: named.deviceId, type: 'ALL' }),
        isOfDevice: true,
      },
    ],
    readUpgradeTask: [task()],
    insertUpgradeTask: 'names devices by a choice that reaches the scope alone: its own tests',
    updateUpgradeTask: [
      task(({ taskId, packageId }) => ({
        id: taskId,
        softwareVersionId: packageId,
        upgradeTime: '2099-01-01 00:00:00',
      })),
    ],
    deleteUpgradeTask: [task()],
    previewUpgradeTask: [
      {
        to: 'device by code',
        input: (named) => ({ softwareVersionId: named.packageId, devices: { codes: [named.deviceCode] } }),
        isOfDevice: true,
      },
    ],
    exportLeftOutOfUpgrade: [
      {
        to: 'device by code',
        input: (named) => ({ softwareVersionId: named.packageId, devices: { codes: [named.deviceCode] } }),
        isOfDevice: true,
      },
    ],
    exportLeftOutOfRollback: [task()],
    pauseUpgradeTask: [task()],
    resumeUpgradeTask: [task()],
    endUpgradeSoak: [task()],
    cancelUpgradeTask: [task()],
    retryUpgradeTask: [task()],
    previewRollback: [task()],
    rollBackUpgradeTask: [task()],
    listUpgradeTargets: [taskOfLog],
    listUpgradeFailures: [taskOfLog],
    listUpgradeTransitions: [
      taskOfLog,
      { to: 'target', input: ({ targetId }) => ({ targetId }), isOfDevice: true },
    ],
    listUpgradeLog: [
      equipId,
      deviceCode,
      { to: 'target by ids', input: ({ targetId }) => ({ ids: [targetId] }), isOfDevice: true },
    ],
    upgradeDevices: [
      {
        to: 'device by id',
        input: (named) => ({ equipId: named.deviceId, softwareVersionId: named.packageId }),
        isOfDevice: true,
      },
      {
        to: 'device beside the own one',
        input: (named, own) => ({
          equipIds: [own.deviceId, named.deviceId],
          softwareVersionId: named.packageId,
        }),
      },
    ],
    upgradeDevicesByBoard: [
      {
        to: 'device by id',
        input: (named) => ({ equipId: named.deviceId, pcbCode: 'PCB-1' }),
        isOfDevice: true,
      },
    ],
  },
  scope: {
    listUpgradeTasks: {
      model: 'tasks belong to organizations; their own tests count devices in a narrower scope',
    },
    listUpgradeTargets: {
      model: 'of one task each; its own tests list them in a narrower scope',
      isFoundAnyway: true,
    },
    listUpgradeTransitions: {
      model: 'of one task or target each; its own tests read them in a narrower scope',
      isFoundAnyway: true,
    },
    listUpgradeLog: { model: 'its own tests list it in a narrower scope' },
  },
  versions: {
    updateUpgradeTask: taskUpdate,
    pauseUpgradeTask: 'refused by the state of the task',
    resumeUpgradeTask: 'refused by the state of the task',
    endUpgradeSoak: 'refused by the state of the task',
    cancelUpgradeTask: 'refused by the state of the task',
    retryUpgradeTask:
      'has the same effect however often it is asked; nothing that a form has read is overwritten',
    rollBackUpgradeTask: 'adds a task',
    upgradeDevices: 'adds a task',
    upgradeDevicesByBoard: 'adds a task',
  },
  screens: [
    [
      '/upgrade/upgradeTask',
      { 'upgrade tasks': asItIs, 'the form of an upgrade task': pressFirst('新增升级任务') },
    ],
    ['/upgrade/upgradeTask?task=1', { 'one upgrade task': asItIs, 'one device of it': openFirst }],
    ['/upgrade/upgradeLog', { 'the upgrade log': asItIs }],
  ],
  forms: {
    'a new upgrade task': {
      of: 'upgrades/form/UpgradeTaskDialog',
      path: '/upgrade/upgradeTask',
      open: press('新增升级任务'),
      problems: ['请选择软件文件', '请选择升级时间'],
      typed: { 升级时间: '2030-01-01 02:00:00' },
      sends: 'equipUpgradeTask/insert',
    },
  },
  additions: {
    readUpgradeTask: reasons.oneRow,
    previewUpgradeTask: reasons.before,
    previewRollback: reasons.before,
    exportLeftOutOfUpgrade: reasons.sheet,
    exportLeftOutOfRollback: reasons.sheet,
    rollBackUpgradeTask: reasons.controlled,
    endUpgradeSoak: reasons.controlled,
    listUpgradeFailures: reasons.controlled,
    listUpgradeTransitions: reasons.controlled,
  },
}

async function taskUpdate(app: TestApp, token: string): Promise<Update> {
  const fleet = await insertFleet(app.db, 1)
  const { id } = await insertPackageFor(app.db, fleet)
  const form = { softwareVersionId: String(id), upgradeTime: '2099-01-01 00:00:00' }
  const { data } = await app.call(insertUpgradeTask, form, token)
  return {
    table: 'upgrade_task',
    key: { id: data.id },
    versionField: 'lockVersion',
    change: () => ({ ...form, remark: fresh('备注') }),
  }
}
