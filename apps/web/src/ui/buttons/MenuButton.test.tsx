// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { show, shown, until } from '../../../test/page.tsx'
import { MenuButton } from './MenuButton.tsx'

test('the open menu has the whole of the name that the button cuts', async () => {
  const name = 'NorthernGuangdongEnergyStorageStation001'
  show(
    <MenuButton
      label={`账号 ${name}`}
      head={name}
      choices={[{ key: 'logout', label: '退出登录', onSelect: () => undefined }]}
    >
      用户
    </MenuButton>,
  )
  await until(() => expect(shown()).toBe('用户'))
  document.querySelector('button')?.click()
  await until(() => expect(shown()).toBe(`用户${name}退出登录`))
})
