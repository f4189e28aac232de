import { CopyOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button, Input, Space } from 'antd'
import { texts } from '../../../lib/texts/index.ts'
import { copyText } from '../../../ui/CopyText.tsx'
import { userTexts } from '../users.texts.ts'
import { presetPassword } from './users.password.ts'

/** A password in plain text, since the administrator passes it on to the user. */
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
        aria-label={userTexts.passwordAgain}
        title={userTexts.passwordAgain}
        onClick={() => onChange?.(presetPassword())}
      />
      <Button
        icon={<CopyOutlined />}
        aria-label={texts.copy.action(userTexts.fields.password)}
        title={texts.copy.action(userTexts.fields.password)}
        onClick={() => void copyText(value)}
      />
    </Space.Compact>
  )
}
