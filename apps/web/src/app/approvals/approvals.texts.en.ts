// The English of approvals.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { approvalButtonTexts as Chinese } from './approvals.texts.ts'

export const approvalButtonTexts: English<typeof Chinese> = {
  waiting: (count) => `Waiting for my consent: ${count}`,
}
