// What is proved of batch settings by the tests that run over all nouns (noun-proofs.ts).
import type { Page } from 'playwright-core'
import { asItIs, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import type { Reference } from '../references.ts'

const batch = (input: Reference['input'] = ({ batchId }) => ({ id: batchId })) => ({ to: 'batch', input })
const values = [{ id: '02121005', value: 88 }]
/** Opens the form of a batch with an editor of each kind. */
const formOfBatch = async (page: Page) => {
  await pressFirst('新增')(page)
  for (const name of ['门锁反馈信号1', '过温点', '指示灯颜色编码', '平台IP和端口']) {
    await page.getByRole('button', { name: '添加参数' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
}

export const proofs: NounProofs = {
  references: {
    listParameterBatches: [batch(({ batchId }) => ({ ids: [batchId] }))],
    readParameterBatch: [batch()],
    insertParameterBatch: [
      {
        to: 'device by code',
        input: (named) => ({
          paramSetRule: { upgradeCount: 1, interval: 3 },
          entitys: values,
          queryParam: { codes: [named.deviceCode] },
        }),
        isOfDevice: true,
      },
    ],
    previewParameterBatch: [
      {
        to: 'device by code',
        input: (named) => ({ entitys: values, queryParam: { codes: [named.deviceCode] } }),
        isOfDevice: true,
      },
    ],
    exportLeftOutOfBatch:
      'left out are devices of the plan that previewParameterBatch counts, which is within the scope',
    retryParameterBatch: [batch()],
    continueParameterBatch: [batch()],
    stopParameterBatch: [batch()],
    previewRestoration: [batch()],
    exportLeftOutOfRestoration: [batch()],
    restoreParameterBatch: [batch()],
    listBatchDevices: [batch()],
    listBatchLog: [batch()],
    exportFailedBatchDevices: [batch()],
  },
  scope: {
    listParameterBatches: {
      model: 'batches belong to organizations; their own tests count devices in a narrower scope',
    },
    listBatchDevices: {
      model: 'of one batch each; its own tests list them in a narrower scope',
      isFoundAnyway: true,
    },
    listBatchLog: {
      model: 'of one batch each; its own tests list it in a narrower scope',
      isFoundAnyway: true,
    },
  },
  versions: {
    retryParameterBatch: 'refused by the state of the batch and of its devices',
    continueParameterBatch: 'refused by the state of the batch',
    stopParameterBatch: 'refused by the state of the batch',
    restoreParameterBatch: 'adds a batch',
  },
  screens: [
    ['/maintenance/batchsetting', { batches: asItIs, 'the form of a batch': formOfBatch }],
    ['/maintenance/batchsetting?batch=1', { 'one batch': asItIs, 'one device of a batch': openFirst }],
    ['/maintenance/batchsetting?batch=1&tab=log', { 'the log of a batch': asItIs }],
  ],
  forms: {
    'parameters of many devices': {
      of: 'parameterBatches/form/BatchDialog',
      path: '/maintenance/batchsetting',
      open: press('新增'),
      spoil: async (form) => {
        for (const name of ['过温点', '平台IP和端口']) {
          await form.getByRole('button', { name: '添加参数' }).click()
          await form.page().getByRole('menuitem', { name }).click()
        }
      },
      problems: ['过温点应为 30 到 90 的整数，单位 ℃', '平台IP和端口格式应为 ip:port，端口 1 到 65535'],
      complete: async (form) => {
        await form.getByPlaceholder('30–90').fill('60')
        await form.getByPlaceholder('10.20.0.8').fill('10.20.0.8')
        await form.getByPlaceholder('1883').fill('1883')
      },
      sends: 'equip/param/batchSet/insert',
    },
  },
  additions: {
    readParameterBatch: reasons.oneRow,
    previewParameterBatch: reasons.before,
    previewRestoration: reasons.before,
    exportLeftOutOfBatch: reasons.sheet,
    exportLeftOutOfRestoration: reasons.sheet,
    stopParameterBatch: reasons.controlled,
    retryParameterBatch: reasons.controlled,
    continueParameterBatch: reasons.controlled,
    restoreParameterBatch: reasons.controlled,
    listBatchDevices: reasons.controlled,
  },
}
