import { fittedToolName } from '../../chat/tool-name.ts'

/**
 * The one name under which a model knows a tool. The namespace `functions` is that of tools which
 * have none.
 */
export function chatToolName(name: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === '' || namespace === 'functions') {
    return fittedToolName(name)
  }
  return fittedToolName(namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`)
}
