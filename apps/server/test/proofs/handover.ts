// What is proved of handovers by the tests that run over all nouns (noun-proofs.ts).
import { draftHandover, formatDateTime } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { asItIs, press, toList, whenOpen } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, ownOnly } from '../references.ts'

/** Of organizations, which have no id of a page in common. */
const ownTests = 'pages are of an organization, which its own tests ask as others and with narrower scopes'

const hoursAgo = (hours: number) => formatDateTime(new Date(Date.now() - hours * 3_600_000))

/** The page of the scene's shift, which a colleague has drafted. */
async function openShift(page: Page) {
  await toList(page)
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: '本班备注' }).waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listHandovers: ownTests,
    readHandover: ownTests,
    draftHandover: ownOnly,
    signHandover: ownTests,
  },
  scope: {
    listHandovers: { model: 'its own tests list it as users of several organizations' },
  },
  versions: {
    async draftHandover(app, token) {
      const form = { startTime: hoursAgo(8), endTime: hoursAgo(0) }
      const { data } = await app.call(draftHandover, form, token)
      return { table: 'handover', key: { id: data.id }, change: () => ({ ...form, note: fresh('说明') }) }
    },
    signHandover: 'signed once; a page that was drawn anew since is refused in its own tests',
  },
  screens: [['/maintenance/handover', { 'handovers of shifts': asItIs, 'one handover': openShift }]],
  forms: {
    'a new handover': {
      of: 'handover/DraftDialog',
      path: '/maintenance/handover',
      open: press('生成交接单'),
      problems: [],
      complete: (form) => form.getByLabel('交接说明').fill('备件周五到货'),
      sends: 'handover/draft',
    },
    'the signature of a handover': {
      of: 'handover/SignDialog',
      path: '/maintenance/handover',
      open: async (page) => {
        const sign = page.getByRole('button', { name: '签收', exact: true })
        if (!(await sign.isVisible())) await openShift(page)
        await sign.click()
        await whenOpen(page)
      },
      problems: [],
      complete: (form) => form.getByLabel('接班意见').fill('已核对'),
      sends: 'handover/sign/*',
    },
  },
  additions: {
    listHandovers: reasons.handedOver,
    readHandover: reasons.handedOver,
    draftHandover: reasons.handedOver,
    signHandover: reasons.handedOver,
  },
}
