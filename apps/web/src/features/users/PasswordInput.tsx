import { CopyOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button, Input, Space } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { copyText } from '../../ui/CopyText.tsx'
import { presetPassword } from './users.password.ts'

/** In plain sight: who adds a user has to hand it on. */
export function PasswordInput({
  id,
  value = '',
  onChange,
}: {
  id?: string
  value?: string
  onChange?: (password: string) => void
}) {
  return (
    <Space.Compact block>
      <Input
        id={id}
        className="mono"
        autoComplete="new-password"
        spellCheck={false}
        maxLength={20}
        value={value}
        onChange={(event) => onChange?.(event.target.value)}
      />
      <Button
        icon={<ReloadOutlined />}
        aria-label={texts.users.passwordAgain}
        title={texts.users.passwordAgain}
        onClick={() => onChange?.(presetPassword())}
      />
      <Button
        icon={<CopyOutlined />}
        aria-label={texts.copy.action(texts.users.fields.password)}
        title={texts.copy.action(texts.users.fields.password)}
        onClick={() => void copyText(value)}
      />
    </Space.Compact>
  )
}
