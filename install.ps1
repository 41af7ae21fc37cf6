<#
.SYNOPSIS
Installs ccc to <prefix>\bin\ccc.exe, after verifying its checksum and running it once.

.DESCRIPTION
Changes only <prefix>\bin\ccc.exe and <prefix>\share\ccc\receipt. $env:CCC_DOWNLOAD_BASE is where to download from,
instead of https://github.com/ccc-cli/ccc/releases.

.PARAMETER Version
This version, such as 0.1.0, instead of the newest.

.PARAMETER Prefix
The folder to install to; default: %LOCALAPPDATA%\Programs\ccc.

.PARAMETER Uninstall
Removes what this script installed; your settings stay.

.PARAMETER AddToPath
Adds <prefix>\bin to your PATH, which otherwise does not change.

.PARAMETER Force
Replaces or removes a bin\ccc.exe that is not ccc, or does not run.
#>
# Everything is in one block, so a truncated download of this script runs nothing, and `irm | iex` leaves no function,
# parameter or preference behind.
& {
  param(
    [string]$Version = '',
    [string]$Prefix = '',
    [switch]$Uninstall,
    [switch]$AddToPath,
    [switch]$Force,
    # Only for `ccc upgrade`: the running version.
    [string]$UpgradeFrom = ''
  )

  $releases = 'https://github.com/ccc-cli/ccc/releases'

  function Install-Ccc {
    if ($env:OS -ne 'Windows_NT') { throw 'this script is for Windows: elsewhere run install.sh' }
    $base = Get-Base
    $asset = "ccc-windows-$(Get-Architecture)"
    $tag = $Version -replace '^v', ''
    if ($Version -ne '' -and $tag -notmatch '^[0-9][0-9A-Za-z.+-]*$') { throw "`"$Version`" is not a version" }
    $place = Get-Place
    foreach ($file in $place.Program, $place.Receipt) {
      if (Test-Path -LiteralPath $file -PathType Container) { throw "$file is a folder" }
    }
    if (Test-Link $place.Program) { throw "$($place.Program) is a symbolic link, which this script did not make" }
    if (Test-Path -LiteralPath $place.Program) {
      if (-not $Force -and -not (Test-Path -LiteralPath $place.Receipt) -and -not (Test-Ccc $place.Program)) {
        throw "$($place.Program) is another program. To replace it anyway: -Force"
      }
      Clear-Old $place
    }
    $from = if ($tag -eq '') { "$base/latest/download" } else { "$base/download/v$tag" }
    $work = Join-Path ([IO.Path]::GetTempPath()) "ccc-install-$([guid]::NewGuid())"
    $made = New-Object Collections.Generic.List[string]
    $new = $null
    try {
      Add-Folder $work $made
      Receive-File $from 'SHA256SUMS' $work 1MB
      if (Test-Current $place $asset $work) {
        Write-Output "$($place.Program) is already this version."
        return
      }
      Receive-File $from "$asset.zip" $work 1GB
      Assert-Sum "$asset.zip" $work
      Expand-Archive -LiteralPath (Join-Path $work "$asset.zip") -DestinationPath (Join-Path $work 'unpacked')
      $unpacked = Join-Path $work 'unpacked\ccc.exe'
      if (-not (Test-Path -LiteralPath $unpacked -PathType Leaf)) { throw "there is no ccc.exe in $asset.zip" }

      # Tried in its final folder: a temporary folder may not allow programs to run.
      Add-Folder $place.Bin $made
      Add-Folder $place.Share $made
      $new = Join-Path $place.Bin "ccc-new-$([guid]::NewGuid()).exe"
      Copy-Item -LiteralPath $unpacked -Destination $new
      $found = Get-ProgramVersion $new
      if ($tag -ne '' -and $found -ne $tag) { throw "the program is ccc $found, not ccc $tag" }
      if ($UpgradeFrom -ne '' -and $tag -eq '' -and (Test-Before $found $UpgradeFrom)) {
        Write-Output "This ccc ($UpgradeFrom) is newer than the newest release ($found)."
        Write-Output "To downgrade: ccc upgrade --version $found"
        return
      }
      Move-IntoPlace $new $place $found
      $made.Clear()
      Write-Output "Installed ccc ${found}: $($place.Program)"
      Write-PathAdvice $place.Bin
      Write-Output 'Next: ccc --help'
    } finally {
      if ($new) { Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue }
      Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
      # A failure must leave nothing new. Folders that are not empty stay.
      for ($index = $made.Count - 1; $index -ge 0; $index--) {
        try { [IO.Directory]::Delete($made[$index]) } catch { continue }
      }
    }
  }

  function Uninstall-Ccc {
    $place = Get-Place
    if (-not (Test-Path -LiteralPath $place.Receipt -PathType Leaf)) {
      throw "there is no $($place.Receipt), so this script did not install ccc there. Say where: -Prefix <folder>"
    }
    if (@([IO.File]::ReadAllLines($place.Receipt)) -cnotcontains 'channel script') {
      throw "$($place.Receipt) was not written by this script, so it did not install ccc there"
    }
    if (Test-Link $place.Program) { throw "$($place.Program) is a symbolic link, which this script did not make" }
    if (Test-Path -LiteralPath $place.Program) {
      if (-not $Force -and -not (Test-Ccc $place.Program)) {
        throw "$($place.Program) does not say that it is ccc. To remove it anyway: -Force"
      }
      Remove-Program $place
    }
    Remove-Item -LiteralPath $place.Receipt
    if (-not (Get-ChildItem -LiteralPath $place.Share -Force)) { Remove-Item -LiteralPath $place.Share }
    Write-Output "Removed $($place.Program)"
    if (($env:PATH -split ';') -contains $place.Bin) { Write-Output "$($place.Bin) is still on your PATH." }
    Write-Output 'Your settings are kept: ccc.json and the folder ccc, in .claude below your home.'
  }

  function Get-Base {
    $base = $releases
    if ($env:CCC_DOWNLOAD_BASE) { $base = $env:CCC_DOWNLOAD_BASE }
    if ($base.Contains('@')) { throw 'CCC_DOWNLOAD_BASE must not contain a user name or password: it has an @' }
    $uri = $null
    if (-not [Uri]::TryCreate($base, [UriKind]::Absolute, [ref]$uri)) { throw "CCC_DOWNLOAD_BASE is not an address: $base" }
    if ($uri.Scheme -ne 'https' -and -not ($uri.Scheme -eq 'http' -and $uri.IsLoopback)) {
      throw "CCC_DOWNLOAD_BASE must begin with https:// unless it is on this machine: $base"
    }
    return $base.TrimEnd('/')
  }

  # Of the machine, not of this PowerShell, which may be an x64 one on arm64.
  function Get-Architecture {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $kind = (Get-ItemProperty -LiteralPath $key).PROCESSOR_ARCHITECTURE
    switch ($kind) {
      'AMD64' { return 'x64' }
      'ARM64' { return 'arm64' }
      default { throw "there is no ccc for the processor ${kind}, only for x64 and arm64" }
    }
  }

  function Get-Place {
    $folder = $Prefix
    if ($folder -eq '') {
      if (-not $env:LOCALAPPDATA) { throw 'LOCALAPPDATA is not set: say where to install with -Prefix' }
      $folder = Join-Path $env:LOCALAPPDATA 'Programs\ccc'
    }
    $folder = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($folder)
    $bin = Join-Path $folder 'bin'
    $share = Join-Path $folder 'share\ccc'
    return @{ Bin = $bin; Share = $share; Program = (Join-Path $bin 'ccc.exe'); Receipt = (Join-Path $share 'receipt') }
  }

  # Makes a folder and its missing parents, and remembers which.
  function Add-Folder([string]$folder, $made) {
    if (Test-Path -LiteralPath $folder -PathType Container) { return }
    Add-Folder (Split-Path -Parent $folder) $made
    try { [void][IO.Directory]::CreateDirectory($folder) } catch { throw "cannot make the folder ${folder}: $_" }
    $made.Add($folder)
  }

  # Follows redirects itself: Windows PowerShell would also follow those from https to http.
  function Receive-File([string]$from, [string]$name, [string]$work, [long]$longest) {
    Write-Output "Downloading $from/$name"
    $uri = [Uri]"$from/$name"
    $scheme = $uri.Scheme
    for ($hop = 0; $hop -lt 10; $hop++) {
      $answer = Get-Answer $uri "$from/$name"
      try {
        if ([int]$answer.StatusCode -lt 300) {
          Save-Answer $answer (Join-Path $work $name) $longest
          return
        }
        $next = $answer.Headers['Location']
        if (-not $next) { throw "cannot download $from/${name}: the server answers $([int]$answer.StatusCode)" }
        $uri = New-Object Uri -ArgumentList $uri, $next
        if ($uri.Scheme -ne $scheme) { throw "$from/$name redirects to an address without ${scheme}://" }
      } finally {
        $answer.Close()
      }
    }
    throw "cannot download $from/${name}: too many redirects"
  }

  function Get-Answer([Uri]$uri, [string]$asked) {
    $request = [Net.WebRequest]::Create($uri)
    $request.AllowAutoRedirect = $false
    $request.Timeout = 60000
    $request.ReadWriteTimeout = 60000
    try {
      return $request.GetResponse()
    } catch {
      $why = $_.Exception.GetBaseException()
      if ($why -is [Net.WebException] -and $why.Response -and [int]$why.Response.StatusCode -eq 404) {
        throw "there is no ${asked}: either there is no such release, or it has nothing for this platform"
      }
      throw "cannot download ${asked}: $($why.Message)"
    }
  }

  function Save-Answer($answer, [string]$file, [long]$longest) {
    $source = $answer.GetResponseStream()
    $target = [IO.File]::Create($file)
    try {
      $buffer = New-Object byte[] 65536
      while (($count = $source.Read($buffer, 0, $buffer.Length)) -gt 0) {
        $target.Write($buffer, 0, $count)
        if ($target.Length -gt $longest) { throw "cannot download $(Split-Path -Leaf $file): it is too long" }
      }
      if ($answer.ContentLength -ge 0 -and $target.Length -ne $answer.ContentLength) {
        throw "cannot download $(Split-Path -Leaf $file): the connection was lost"
      }
    } finally {
      $target.Close()
      $source.Close()
    }
  }

  # The checksum of a file in SHA256SUMS; empty if there is none.
  function Get-ListedSum([string]$name, [string]$work) {
    foreach ($line in [IO.File]::ReadAllLines((Join-Path $work 'SHA256SUMS'))) {
      $sum, $file = $line -split '\s+', 2
      if ($file -and $file.TrimStart('*') -ceq $name) { return $sum }
    }
  }

  function Assert-Sum([string]$name, [string]$work) {
    $wanted = Get-ListedSum $name $work
    if (-not $wanted) { throw "SHA256SUMS of this release does not list $name, so it cannot be verified" }
    $found = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $work $name)).Hash
    if ($found -ne $wanted) {
      throw "$name has the wrong checksum: it should be $wanted, but is $found.`n" +
        'The download may be damaged: try again. If it stays so, do not trust it, and please report it.'
    }
  }

  # SHA256SUMS also lists the bare program, so its checksum shows whether there is anything to do.
  function Test-Current($place, [string]$asset, [string]$work) {
    foreach ($file in $place.Receipt, $place.Program) {
      if (-not (Test-Path -LiteralPath $file -PathType Leaf)) { return $false }
    }
    return (Get-FileHash -Algorithm SHA256 -LiteralPath $place.Program).Hash -eq (Get-ListedSum "$asset.exe" $work)
  }

  function Get-ProgramVersion([string]$program) {
    try { $says = @(& $program --version)[0] } catch { throw "the program does not run here: $_" }
    if ($LASTEXITCODE -ne 0) { throw "the program does not run here (exit code $LASTEXITCODE)" }
    if ($says -notmatch '^ccc ([0-9]\S*)') { throw "the program should print its version, but prints: $says" }
    return $Matches[1]
  }

  function Test-Ccc([string]$program) {
    try { return [bool](Get-ProgramVersion $program) } catch { return $false }
  }

  function Test-Link([string]$file) {
    try { return [bool]([IO.File]::GetAttributes($file) -band [IO.FileAttributes]::ReparsePoint) } catch { return $false }
  }

  # Whether one version comes before another, in semver order.
  function Test-Before([string]$one, [string]$other) {
    $left, $leftRest = ($one -replace '\+.*$', '') -split '-', 2
    $right, $rightRest = ($other -replace '\+.*$', '') -split '-', 2
    if ($left -ne $right) { return [version]$left -lt [version]$right }
    if (-not $leftRest) { return $false }
    if (-not $rightRest) { return $true }
    $left = $leftRest.Split('.')
    $right = $rightRest.Split('.')
    for ($index = 0; $index -lt [Math]::Min($left.Count, $right.Count); $index++) {
      $a = $left[$index]
      $b = $right[$index]
      if ($a -ceq $b) { continue }
      $isNumber = $a -match '^[0-9]+$'
      if ($isNumber -ne ($b -match '^[0-9]+$')) { return $isNumber }
      if ($isNumber) { return [decimal]$a -lt [decimal]$b }
      return [string]::CompareOrdinal($a, $b) -lt 0
    }
    return $left.Count -lt $right.Count
  }

  # A running program cannot be overwritten, but it can be renamed. The last step moves the new receipt: until then, a failure
  # or Ctrl-C restores the old program.
  function Move-IntoPlace([string]$new, $place, [string]$found) {
    $receipt = Join-Path $place.Share "receipt-$([guid]::NewGuid())"
    $old = Join-Path $place.Bin "ccc-old-$([guid]::NewGuid()).exe"
    $hadOne = Test-Path -LiteralPath $place.Program
    try {
      [IO.File]::WriteAllText($receipt, "channel script`nversion $found`n")
      if ($hadOne) { [IO.File]::Move($place.Program, $old) }
      [IO.File]::Move($new, $place.Program)
      Move-Item -LiteralPath $receipt -Destination $place.Receipt -Force
    } finally {
      if ([IO.File]::Exists($receipt)) {
        # The new program is no longer under its temporary name: it was moved into place.
        if (-not [IO.File]::Exists($new)) { [IO.File]::Delete($place.Program) }
        if ([IO.File]::Exists($old)) { [IO.File]::Move($old, $place.Program) }
        [IO.File]::Delete($receipt)
      }
    }
    Clear-Old $place
  }

  function Remove-Program($place) {
    Move-Item -LiteralPath $place.Program -Destination (Join-Path $place.Bin "ccc-old-$([guid]::NewGuid()).exe")
    Clear-Old $place
  }

  # One that is still running stays, for the next time.
  function Clear-Old($place) {
    Get-ChildItem -LiteralPath $place.Bin -Filter 'ccc-old-*.exe' | Remove-Item -Force -ErrorAction SilentlyContinue
  }

  function Write-PathAdvice([string]$bin) {
    if (($env:PATH -split ';') -contains $bin) { return }
    if (-not $AddToPath) {
      Write-Output "$bin is not on your PATH. To add it permanently:"
      if ($PSCommandPath) { Write-Output '  run this again with -AddToPath' }
      else { Write-Output "  & ([scriptblock]::Create((irm $releases/latest/download/install.ps1))) -AddToPath" }
      Write-Output 'or for this window only:'
      Write-Output "  `$env:PATH = `"$bin;`$env:PATH`""
      return
    }
    # Through the registry, so that entries such as %USERPROFILE% stay unexpanded.
    $key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true)
    try {
      $before = [string]$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames')
      if (($before -split ';') -notcontains $bin) {
        $key.SetValue('Path', (@($bin, $before) -ne '' -join ';'), 'ExpandString')
        # Setting a variable this way notifies running programs.
        [Environment]::SetEnvironmentVariable('CCC_INSTALL', $null, 'User')
      }
    } finally {
      $key.Close()
    }
    Write-Output "$bin is now on your PATH in every window that you open from now on."
  }

  $protocols = [Net.ServicePointManager]::SecurityProtocol
  try {
    $ErrorActionPreference = 'Stop'
    # The progress bar of Windows PowerShell makes downloads many times slower.
    $ProgressPreference = 'SilentlyContinue'
    # TLS 1.2; 0 leaves the choice to the system.
    if ([int]$protocols -ne 0) { [Net.ServicePointManager]::SecurityProtocol = $protocols -bor 3072 }
    if ($args.Count -gt 0) { throw "unknown: $args" }
    if ($Uninstall) { Uninstall-Ccc } else { Install-Ccc }
  } catch {
    # With `irm | iex`, exit would close the user's PowerShell.
    if (-not $PSCommandPath) { throw }
    [Console]::Error.WriteLine("ccc install: $_")
    exit 1
  } finally {
    [Net.ServicePointManager]::SecurityProtocol = $protocols
  }
} @args
