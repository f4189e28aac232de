// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { press, show, shown, until } from '../../test/page.tsx'
import { CopyText } from './CopyText.tsx'
import { OnceDialog } from './OnceDialog.tsx'

const secret = 'k7Qm2xVbT9sW'

test('a secret leaves the page with the press that closes its dialog', async () => {
  show(
    <OnceDialog title="密钥" warning="密钥只显示这一次" closeLabel="我已保存" onClose={() => undefined}>
      {(visible) => <CopyText text={visible(secret)} />}
    </OnceDialog>,
  )
  await until(() => expect(shown()).toContain(secret))
  await press('我已保存')
  // React has rendered the press; the dialog may still be closing. Attributes count, too.
  await Promise.resolve()
  expect(document.body.outerHTML.includes(secret)).toBe(false)
})
