# scripts/release/try-installer.ps1 <folder with a release> <tag>: install.ps1 installs that release from a server on this machine,
# and the installed ccc runs. Needs python, which every runner has.
param([string]$Assets, [string]$Tag)
$ErrorActionPreference = 'Stop'
$work = Join-Path ([IO.Path]::GetTempPath()) "ccc-try-$PID"
New-Item -ItemType Directory (Join-Path $work 'latest') | Out-Null
Copy-Item -Recurse $Assets (Join-Path $work 'latest\download')
$port = 8765
$server = Start-Process -PassThru -NoNewWindow python -ArgumentList @('-m', 'http.server', '--bind', '127.0.0.1', '--directory', $work, $port)
try {
  $env:CCC_DOWNLOAD_BASE = "http://127.0.0.1:$port"
  while (-not (Test-NetConnection 127.0.0.1 -Port $port -InformationLevel Quiet -WarningAction SilentlyContinue)) { }
  & (Join-Path $Assets 'install.ps1') -Prefix (Join-Path $work 'prefix')
  $ccc = Get-ChildItem -Recurse (Join-Path $work 'prefix') -Filter ccc.exe | Select-Object -First 1
  $said = & $ccc.FullName --version
  if (-not $said.StartsWith("ccc $($Tag.TrimStart('v')) ")) { throw "what install.ps1 installed says: $said" }
  "install.ps1 installed $said"
} finally {
  Stop-Process $server
}
