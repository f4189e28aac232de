// In which language the user reads the console. Not with the other settings, so that the console's first files do not
// know its name.
import { type Language, languages, saveLanguage } from '@voltkeep/contract/languages'
import { Radio } from 'antd'
import { keepLanguage, languageNames, pageLanguage } from '../../lib/browser/language.ts'
import { useWriting } from '../../lib/wire/writing.ts'

export default function LanguageField({ labelledBy }: { labelledBy: string }) {
  const saving = useWriting(saveLanguage, [], { said: false })
  const choose = (language: Language) => {
    const onSuccess = () => {
      keepLanguage(language)
      location.reload()
    }
    saving.mutate({ language }, { onSuccess })
  }
  return (
    <Radio.Group
      aria-labelledby={labelledBy}
      optionType="button"
      value={pageLanguage}
      options={languages.map((each) => ({ value: each, label: languageNames[each] }))}
      onChange={({ target }) => choose(target.value)}
    />
  )
}
