// @vitest-environment happy-dom
import { updateFirmware } from '@voltkeep/contract/firmware'
import { insertOperator, updateOperator } from '@voltkeep/contract/operators'
import { Input } from 'antd'
import { expect, test } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { field, fill, press, show, shown, until } from '../../../test/page.tsx'
import { FormDialog } from './FormDialog.tsx'

const operator = { id: '7', name: '南山运营', code: 'NS', organizationId: '3', version: 1 }

function Dialog({ isNew = false, present = operator }: { isNew?: boolean; present?: typeof operator }) {
  return (
    <FormDialog
      title="运营商"
      endpoint={isNew ? insertOperator : updateOperator}
      stale={[]}
      initial={isNew ? { organizationId: '3' } : operator}
      confirm={({ name }) => (name === '移走' ? { title: '移动运营商' } : undefined)}
      readPresent={async () => present}
      onClose={() => undefined}
    >
      {({ Field }) => (
        <>
          <Field name="name" label="名称">
            <Input />
          </Field>
          <Field name="code" label="编码">
            <Input />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** Bodies of the requests, in their order. */
async function hostTaking(status = 200, envelope: object = { code: 200, message: '操作成功', data: null }) {
  const taken: unknown[] = []
  await serveAsHost((request, response) => {
    let body = ''
    request.on('data', (bytes) => {
      body += bytes
    })
    request.on('end', () => {
      taken.push(JSON.parse(body))
      answering(status, envelope)(request, response)
    })
  })
  return taken
}

test('a conflict is recognised by the refusal’s name, keeps what was typed and offers what is there now', async () => {
  await hostTaking(409, { code: 409, message: '别的说法', data: null, refusal: 'conflict' })
  show(<Dialog present={{ ...operator, name: '他人所改', version: 2 }} />)
  await fill('name', '我所改')
  await press('确定')
  await until(() => expect(shown()).toContain('数据已被他人修改'))
  expect((await field('name')).value).toBe('我所改')
  await press('载入最新内容')
  await until(async () => expect((await field('name')).value).toBe('他人所改'))
  expect(shown()).not.toContain('数据已被他人修改')
})

test('sends what the schema parsed: trimmed, with the values that have no field, without unknown ones', async () => {
  const taken = await hostTaking()
  show(<Dialog />)
  await fill('name', '  福田运营 ')
  await press('确定')
  await until(() => expect(taken).toEqual([{ ...operator, name: '福田运营' }]))
})

test('begins in its first field at once', async () => {
  show(<Dialog />)
  await field('name')
  // Not when the animation has ended: letters that are typed by then would be lost.
  expect(document.activeElement?.id).toBe('name')
})

test('takes no letter while it is sent, and has the focus where it was when that has failed', async () => {
  let answer: (() => void) | undefined
  await serveAsHost((request, response) => {
    answer = () => answering(500, { code: 500, message: '系统繁忙', data: null })(request, response)
  })
  show(<Dialog />)
  const code = await field('code')
  code.focus()
  code.form?.requestSubmit()
  await until(() => expect(code.closest('[inert]')).not.toBeNull())
  expect(document.activeElement).not.toBe(code)
  await until(() => expect(answer).toBeDefined())
  answer?.()
  await until(() => expect(code.closest('[inert]')).toBeNull())
  expect(document.activeElement).toBe(code)
})

test('cannot be closed while it is sent, so that the outcome is seen; then it can', async () => {
  let answer: (() => void) | undefined
  await serveAsHost((request, response) => {
    answer = () => answering(500, { code: 500, message: '系统繁忙', data: null })(request, response)
  })
  show(<Dialog />)
  const name = await field('name')
  const dialog = name.closest('.ant-modal') as HTMLElement
  const isClosing = () => dialog.matches('.ant-zoom-leave') || !dialog.isConnected
  const cancel = [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === '取消')
  const cross = dialog.querySelector<HTMLButtonElement>('.ant-modal-close')
  name.form?.requestSubmit()
  await until(() => expect(cancel?.disabled).toBe(true))
  expect(cross?.disabled).toBe(true)
  const escaping = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
  dialog.dispatchEvent(escaping)
  await until(() => expect(answer).toBeDefined())
  answer?.()
  await until(() => expect(cancel?.disabled).toBe(false))
  expect(shown()).toContain('系统繁忙')
  expect(isClosing()).toBe(false)
  expect(cross?.disabled).toBe(false)
  await press('取消')
  await until(() => expect(isClosing()).toBe(true))
})

test('Enter makes a new line in a field of several lines, and sends nothing', async () => {
  const taken = await hostTaking()
  show(
    <FormDialog
      title="运营商"
      endpoint={updateOperator}
      stale={[]}
      initial={operator}
      onClose={() => undefined}
    >
      {({ Field }) => (
        <Field name="name" label="名称">
          <Input.TextArea />
        </Field>
      )}
    </FormDialog>,
  )
  const name = await field('name')
  const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })
  name.dispatchEvent(enter)
  await new Promise((resolve) => setTimeout(resolve, 50))
  // The browser's own action, a new line, is left to it.
  expect(enter.defaultPrevented).toBe(false)
  expect(taken).toEqual([])
})

test('after a failure at a field, that field has the focus', async () => {
  const problem = { field: 'code', message: '编码已存在' }
  await hostTaking(400, { code: 400, message: '编码已存在', data: [problem], refusal: 'badInput' })
  show(<Dialog />)
  const name = await field('name')
  name.focus()
  name.form?.requestSubmit()
  await until(() => expect(shown()).toContain('编码已存在'))
  await until(() => expect(document.activeElement?.id).toBe('code'))
})

test('shows the schema’s problems under the fields and sends nothing', async () => {
  const taken = await hostTaking()
  show(<Dialog isNew />)
  await press('确定')
  await until(() => expect(shown()).toContain('请输入运营商名称'))
  expect(shown()).toContain('请输入运营商编码')
  expect(taken).toEqual([])
})

test('asks before sending where a question is given, and sends nothing when it is cancelled', async () => {
  const taken = await hostTaking()
  show(<Dialog />)
  await fill('name', '移走')
  await press('确定')
  await until(() => expect(shown()).toContain('移动运营商'))
  await press('取消')
  await until(() => expect(shown()).not.toContain('移动运营商'))
  expect(taken).toEqual([])
  expect((await field('name')).value).toBe('移走')
})

const kept = {
  id: '7',
  filePath: 'firmware/1',
  pcbCode: 'MB100',
  partType: 'WIFI',
  version: '1.4',
  remark: { zh: '说明', en: 'note', de: 'Notiz', fr: 'note' },
  isAutoUpgrade: 0 as const,
}

test('fields inside a group have their own rules and problems, and are sent as the group', async () => {
  const taken = await hostTaking()
  show(
    <FormDialog
      title="固件"
      endpoint={updateFirmware}
      stale={[]}
      initial={{ ...kept, remark: { ...kept.remark, de: '' } }}
      onClose={() => undefined}
    >
      {({ Field }) => (
        <>
          <Field name="remark.zh" label="中文说明">
            <Input />
          </Field>
          <Field name="remark.de" label="德文说明">
            <Input />
          </Field>
        </>
      )}
    </FormDialog>,
  )
  await fill('remark_zh', ' 改了 ')
  await press('确定')
  await until(() => expect(shown()).toContain('版本说明不能为空'))
  expect(taken).toEqual([])
  await fill('remark_de', 'geändert')
  await press('确定')
  const { id: _, ...sent } = { ...kept, remark: { ...kept.remark, zh: '改了', de: 'geändert' } }
  await until(() => expect(taken).toEqual([sent]))
})

test('a problem that the server finds inside a group stands under its field', async () => {
  const problem = { field: 'remark.de', message: '这里不对' }
  await hostTaking(400, { code: 400, message: '这里不对', data: [problem], refusal: 'badInput' })
  show(
    <FormDialog title="固件" endpoint={updateFirmware} stale={[]} initial={kept} onClose={() => undefined}>
      {({ Field }) => (
        <Field name="remark.de" label="德文说明">
          <Input />
        </Field>
      )}
    </FormDialog>,
  )
  await press('确定')
  await until(() => expect(document.querySelector('.ant-form-item-explain')?.textContent).toBe('这里不对'))
})

/** Never rendered: the compiler refuses each line under its directive. */
export function Misspelt() {
  return (
    <FormDialog
      title=""
      endpoint={operator ? updateOperator : insertOperator}
      stale={[]}
      // @ts-expect-error a misspelt value
      initial={{ organisationId: '3' }}
      // @ts-expect-error a misspelt value
      confirm={({ nmae }) => ({ title: nmae })}
      onClose={() => undefined}
    >
      {({ Field, setValues }) => (
        <>
          {/* @ts-expect-error a misspelt field */}
          <Field name="cod" label="编码">
            <Input onChange={() => setValues({ code: 'A' })} />
          </Field>
          {/* @ts-expect-error a field that no such call has */}
          <Field name="phone" label="电话">
            {/* @ts-expect-error a value of another type */}
            <Input onChange={() => setValues({ code: 1 })} />
          </Field>
          {/* @ts-expect-error a text has no fields inside */}
          <Field name="name.zh" label="名称">
            <Input />
          </Field>
          {/* @ts-expect-error depends on a misspelt field */}
          <Field name="name" label="名称" dependsOn={['cod']}>
            <Input />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
